// When a core counts as quiescent (tasks/rcu/core_epoch.hpp), and when not: inside a body that runs other tasks in a
// protected section, and while one of its threads has been preempted in one.
#include <algorithm>
#include <array>
#include <atomic>

#include "kernel/protected_section.hpp"
#include "kernel/testing.hpp"
#include "tasks/threads/thread.hpp"
#include "tests/kernel/all_cores.hpp"
#include "tests/kernel/noise.hpp"
#include "tests/kernel/resident.hpp"
#include "tests/kernel/thread_group.hpp"

namespace mxk {
namespace {

// The worker of the last core; null, and the test is skipped, if that is the console's.
Worker* watched() {
    if (workers::count() > 1) return &workers::of(core_id(workers::count() - 1));
    inner_tests::skip("one core, which runs the test");
    return nullptr;
}

bool has_ended(Worker const& worker, std::uint64_t epoch) {
    return worker.epoch().ended() >= epoch;
}

// Until the core has begun several rounds of tasks and looked at its attention word between them: tasks travel there
// and back. What it does not do in this time, it does not do because of its tasks.
void let_rounds_pass(Worker& worker) {
    struct Visitor : Task {
        explicit Visitor(int& its_left)
            : Task(&Visitor::visit, Worker::current().core())
            , left(its_left) {}
        static void visit(Worker& there, Task& task) {
            task.body = [](Worker&, Task& at_home) { --static_cast<Visitor&>(at_home).left; };
            there.append(task, task.home);
        }
        int& left;
    };
    Worker& here = Worker::current();
    for (int round = 0; round < 4; ++round) {
        int left = 3 * static_cast<int>(CoreQueue::round);
        auto visitors = NodeVector<Visitor>::create(static_cast<std::size_t>(left), here.node());
        MXK_CHECK(visitors.ok());
        if (!visitors) return;
        for (int i = left; i > 0; --i) here.append(visitors.value().emplace(left), worker.core());
        wait_until([&] { return left == 0; });
    }
}

MXK_TEST(epochs, end_on_every_other_core_once_asked) {
    Noise const noise(2000);
    // Of many cores, which share the processors of the machine that emulates them, each one is asked less often.
    std::size_t const times = std::clamp<std::size_t>(400 / workers::count(), 20, 100);
    for (std::size_t i = 1; i < workers::count(); ++i) {
        Worker& worker = workers::of(core_id(i));
        for (std::size_t time = 0; time < times; ++time) {
            std::uint64_t const epoch = worker.request_epoch();
            wait_until([&] { return has_ended(worker, epoch); });
        }
    }
}

MXK_TEST(epochs, do_not_end_unasked) {
    Worker* const worker = watched();
    if (worker == nullptr) return;
    std::uint64_t const before = worker->epoch().ended();
    let_rounds_pass(*worker);
    MXK_CHECK_EQUAL(worker->epoch().ended(), before);
}

// The console's body is below all that runs on its core meanwhile.
MXK_TEST(epochs, end_while_a_body_waits_but_not_if_it_does_so_in_a_section) {
    Worker& here = Worker::current();
    std::uint64_t epoch = 0;
    {
        ProtectedSection const section;
        epoch = here.request_epoch();
        let_rounds_pass(here);
        MXK_CHECK(!has_ended(here, epoch));
    }
    wait_until([&] { return has_ended(here, epoch); });
}

MXK_TEST(epochs, wait_for_a_body_that_runs_other_tasks_in_a_section) {
    struct Waiting : Task {
        Waiting()
            : Task(&Waiting::wait) {}
        static void wait(Worker& worker, Task& task) {
            auto& self = static_cast<Waiting&>(task);
            ProtectedSection const section;
            self.is_inside.store(true, std::memory_order_release);
            worker.run_until([&] { return self.may_end.load(std::memory_order_acquire); });
        }
        std::atomic<bool> is_inside{false};
        std::atomic<bool> may_end{false};
    };
    Worker* const worker = watched();
    if (worker == nullptr) return;
    Waiting task;
    Worker::current().append(task, worker->core());
    wait_until([&] { return task.is_inside.load(std::memory_order_acquire); });
    std::uint64_t const epoch = worker->request_epoch();
    let_rounds_pass(*worker);
    MXK_CHECK(!has_ended(*worker, epoch));
    task.may_end.store(true, std::memory_order_release);
    arch::wake(worker->core());
    wait_until([&] { return has_ended(*worker, epoch); });
}

MXK_TEST(epochs, wait_for_a_thread_that_was_preempted_in_a_protected_section) {
    Worker* const worker = watched();
    if (worker == nullptr) return;
    Resident resident;
    auto body = [&resident] {
        {
            ProtectedSection const outer;
            { ProtectedSection const inner; }
            resident.stay(1);
        }
        resident.stay(2);
    };
    ThreadGroup group(1);
    group.start({.core = worker->core(), .name = "resident"}, body);
    resident.await(1);
    std::uint64_t const epoch = worker->request_epoch();
    let_rounds_pass(*worker); // on metal: between its slices
    MXK_CHECK(!has_ended(*worker, epoch));
    resident.let_go();
    resident.await(2); // still there, and in no section any more
    wait_until([&] { return has_ended(*worker, epoch); });
    resident.let_go();
    group.join();
}

// Each of several threads counts for itself.
MXK_TEST(epochs, wait_for_the_last_of_the_threads_in_protected_sections) {
    Worker* const worker = watched();
    if (worker == nullptr) return;
    std::array<Resident, 3> residents;
    auto const body_of = [](Resident& resident) {
        return [&resident] {
            ProtectedSection const section;
            resident.stay(1);
        };
    };
    std::array bodies{body_of(residents[0]), body_of(residents[1]), body_of(residents[2])};
    ThreadGroup group(bodies.size());
    for (auto& body : bodies) group.start({.core = worker->core(), .name = "resident"}, body);
    for (Resident& resident : residents) resident.await(1);
    std::uint64_t const epoch = worker->request_epoch();
    for (Resident& resident : residents) {
        let_rounds_pass(*worker);
        MXK_CHECK(!has_ended(*worker, epoch));
        resident.let_go();
    }
    wait_until([&] { return has_ended(*worker, epoch); });
    group.join();
}

} // namespace
} // namespace mxk
