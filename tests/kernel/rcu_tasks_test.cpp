// Read-copy-update and tasks: those that wait for grace periods, those that hold them up and are named, and cores that
// have none and halt.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/log.hpp"
#include "base/spin_wait.hpp"
#include "kernel/sync/rcu/rcu.hpp"
#include "kernel/testing.hpp"
#include "tasks/rcu/rcu_wait.hpp"
#include "tasks/stalled_core.hpp"
#include "tests/kernel/all_cores.hpp"
#include "tests/kernel/rcu_cookie.hpp"
#include "tests/kernel/resident.hpp"
#include "tests/kernel/thread_group.hpp"

namespace mxk {
namespace {

// The core's other tasks have their turns, too.
MXK_TEST(rcu1, a_task_that_waits_again_and_again_starves_no_other) {
    struct Counting : Task {
        Counting()
            : Task(&Counting::go_on) {}
        static void go_on(Worker& worker, Task& task) {
            auto& self = static_cast<Counting&>(task);
            ++self.turns;
            if (self.ends) return;
            worker.append(self);
        }
        std::size_t turns = 0;
        bool ends = false;
    };
    Counting other;
    Worker::current().append(other);
    for (int time = 0; time < 100; ++time) rcu::synchronize();
    MXK_CHECK(other.turns > 0);
    other.ends = true;
    std::size_t const before = other.turns;
    Worker::current().run_until([&] { return other.turns != before; });
}

// A task that goes on for long: its test takes it from stage 1, one section, to 2, where it says again and again that
// it is quiescent, and to 3; 4: it has ended.
struct QuiescentTask : Task {
    QuiescentTask()
        : Task(&QuiescentTask::go_on) {}
    static void go_on(Worker&, Task& task) {
        auto& self = static_cast<QuiescentTask&>(task);
        self.stage.store(1, std::memory_order_release);
        for (SpinWait wait; self.stage.load(std::memory_order_acquire) != 2;) wait.turn(); // one section
        while (self.stage.load(std::memory_order_acquire) != 3) rcu::quiescent();
        self.stage.store(4, std::memory_order_release);
    }
    std::atomic<int> stage{0};
};

// A task that goes on for long lets grace periods end where it says so.
MXK_TEST(rcu1, a_long_task_may_be_quiescent) {
    if (workers::count() < 2) MXK_SKIP("one core, which runs the test");
    QuiescentTask task;
    Worker::current().append(task, last_core());
    wait_until([&] { return task.stage.load(std::memory_order_acquire) == 1; });
    Cookie cookie;
    rcu::call(cookie, rcu::Urgency::Expedited);
    let_time_pass();
    MXK_CHECK(!cookie.has_run.load());
    task.stage.store(2, std::memory_order_release);
    await(cookie);
    task.stage.store(3, std::memory_order_release);
    wait_until([&] { return task.stage.load(std::memory_order_acquire) == 4; });
}

// A long task that says where it is quiescent, and a reader of the same core: once the reader has left, the grace
// period ends at the task's next quiescent point.
MXK_TEST(rcu1, a_long_task_is_quiescent_after_a_reader_has_left) {
    if (workers::count() < 2 || Thread::has_slices()) MXK_SKIP("threads of a core wait while its task runs");
    Resident reader;
    auto read = [&] {
        {
            rcu::ReadSection const section;
            reader.stay(1);
        }
        reader.stay(2);
    };
    ThreadGroup group(1);
    group.start({.core = last_core(), .name = "reader"}, read);
    reader.await(1);
    QuiescentTask task;
    Worker::current().append(task, last_core());
    wait_until([&] { return task.stage.load(std::memory_order_acquire) == 1; });
    task.stage.store(2, std::memory_order_release);
    Cookie cookie;
    rcu::call(cookie, rcu::Urgency::Expedited);
    let_time_pass();
    MXK_CHECK(!cookie.has_run.load());
    reader.let_go();
    await(cookie); // while the task goes on
    task.stage.store(3, std::memory_order_release);
    wait_until([&] { return task.stage.load(std::memory_order_acquire) == 4; });
    reader.await(2);
    reader.let_go();
    group.join();
}

MXK_TEST(rcu1, a_grace_period_that_stalls_is_reported_once) {
    std::size_t const warnings = log::warning_count();
    Resident reader;
    auto body = [&] {
        rcu::ReadSection const section;
        reader.stay(1);
    };
    ThreadGroup group(1);
    group.start({.core = last_core(), .name = "stalling"}, body);
    reader.await(1);
    Cookie cookie;
    rcu::call(cookie, rcu::Urgency::Next);
    wait_until([&] { return log::warning_count() != warnings; });
    MXK_CHECK(!cookie.has_run.load());
    FixedText<200> what;
    describe_stalled_core(what, last_core());
    MXK_CHECK_EQUAL(what.view(), std::string_view("thread 'stalling' is in a read section"));
    let_time_pass();
    reader.let_go();
    await(cookie);
    group.join();
    MXK_CHECK_EQUAL(log::warning_count(), warnings + 1);
}

struct StallingTask : Task {
    StallingTask()
        : Task(&StallingTask::stall) {}
    static void stall(Worker&, Task& task) {
        auto& self = static_cast<StallingTask&>(task);
        self.stage.store(1, std::memory_order_release);
        for (SpinWait wait; self.stage.load(std::memory_order_acquire) != 2;) wait.turn();
        self.stage.store(3, std::memory_order_release);
    }
    std::atomic<int> stage{0};
};

MXK_TEST(rcu1, the_task_that_a_grace_period_waits_for_is_named) {
    if (workers::count() < 2) MXK_SKIP("one core, which runs the test");
    StallingTask task;
    Worker::current().append(task, last_core());
    wait_until([&] { return task.stage.load(std::memory_order_acquire) == 1; });
    FixedText<200> what;
    describe_stalled_core(what, last_core());
    MXK_CHECK(what.view().starts_with("the task that runs there is "));
    MXK_CHECK(what.view().ends_with("StallingTask::stall"));
    task.stage.store(2, std::memory_order_release);
    wait_until([&] { return task.stage.load(std::memory_order_acquire) == 3; });
}

// Cores that halt are waited for by nobody, and not woken.
MXK_TEST(rcu1, halted_cores_are_left_alone) {
    if (workers::count() < 2) MXK_SKIP("one core, which runs the test");
    rcu::CoreStatistics const& of_idle = rcu::periods()->of(last_core()).statistics();
    for (int time = 0; time < 200; ++time) {
        let_time_pass(); // it polls for a while before it halts
        std::uint64_t const answers = of_idle.answers.value();
        std::uint64_t const away = of_idle.away.value();
        rcu::synchronize();
        if (of_idle.away.value() == away) continue;
        return MXK_CHECK_EQUAL(of_idle.answers.value(), answers);
    }
    MXK_CHECK(false); // it was never found halted
}

} // namespace
} // namespace mxk
