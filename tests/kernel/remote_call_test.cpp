// Functions that run on other cores: where, with what, and that cores that call each other all get on.
#include <algorithm>
#include <atomic>

#include "base/log.hpp"
#include "base/spin_wait.hpp"
#include "bench/workload/random.hpp"
#include "kernel/memory/per_core.hpp"
#include "kernel/remote_call.hpp"
#include "kernel/testing.hpp"
#include "kernel/topology/system_topology.hpp"
#include "tasks/run_on.hpp"
#include "tests/kernel/all_cores.hpp"
#include "tests/kernel/noise.hpp"
#include "tests/kernel/thread_group.hpp"

namespace mxk {
namespace {

MXK_TEST(remote_calls, run_where_they_are_sent_and_are_done_then) {
    for (std::size_t i = 0; i < workers::count(); ++i) {
        CoreId there{};
        int value = 20; // plain: the call orders both ways
        call_on(core_id(i), [&] {
            there = arch::core_local().id;
            ++value;
        });
        MXK_CHECK_EQUAL(there, core_id(i));
        MXK_CHECK_EQUAL(value, 21);
    }
}

// Counted by its core only, without atomics.
using Counters = PerCore<std::uint64_t>;

Result<Counters> counters() {
    return Counters::create(system_topology().cores, [] { return std::uint64_t{0}; });
}

std::uint64_t sum(Counters const& all) {
    std::uint64_t result = 0;
    for (std::uint64_t const counted : all) result += counted;
    return result;
}

// Cores that call at once in short tests: where hundreds are emulated by a few processors, those of all would take
// minutes. The long ones have all.
std::size_t some_callers() {
    return std::min<std::size_t>(workers::count(), 32);
}

// Cores call random ones of all, themselves too, while these do the same and tasks come between.
void check_calls_of_cores(std::size_t callers) {
    std::size_t const steps = std::max<std::size_t>(40 / callers, 3); // of each core
    constexpr std::size_t calls_per_step = 25;
    auto counted = counters();
    MXK_CHECK(counted.ok());
    if (!counted) return;
    Noise const noise(2000);
    std::uint64_t const seed = inner_tests::seed();
    auto steps_left = PerCore<std::size_t>::create(system_topology().cores, [&] { return steps; });
    MXK_CHECK(steps_left.ok());
    if (!steps_left) return;
    bool const ran = run_on(all_cores().span().first(callers), [&](Worker&, std::size_t place) {
        bench::Random random(seed * 1'000'000 + place * steps + steps_left.value()[place]);
        for (std::size_t i = 0; i < calls_per_step; ++i) {
            std::size_t const target = random.below(workers::count());
            call_on(core_id(target), [&, target] {
                MXK_CHECK_EQUAL(arch::core_local().id, core_id(target));
                ++counted.value()[target];
            });
        }
        return --steps_left.value()[place] == 0 ? Step::Done : Step::Again;
    });
    MXK_CHECK(ran);
    MXK_CHECK_EQUAL(sum(counted.value()), callers * steps * calls_per_step);
}

MXK_TEST(remote_calls, of_many_cores_to_all_cores_are_each_done_once) {
    check_calls_of_cores(some_callers());
}
MXK_LONG_TEST(remote_calls, of_all_cores_to_all_cores_are_each_done_once) {
    check_calls_of_cores(workers::count());
}

// Of two threads on each of so many cores. A thread cannot serve while it waits, its core's worker does: when it calls
// that core itself, too.
void check_calls_of_threads_on(std::size_t cores) {
    constexpr std::size_t calls = 8;
    std::size_t const threads = 2 * cores;
    auto counted = counters();
    MXK_CHECK(counted.ok());
    if (!counted) return;
    auto body = [&] {
        for (std::size_t i = 0; i < calls; ++i)
            call_on(core_id(i % workers::count()), [&, i] { ++counted.value()[i % workers::count()]; });
    };
    ThreadGroup group(threads);
    for (std::size_t i = 0; i < threads; ++i) group.start({.core = core_id(i % cores), .name = "caller"}, body);
    group.join();
    MXK_CHECK_EQUAL(sum(counted.value()), threads * calls);
}

MXK_TEST(remote_calls, may_come_from_threads) {
    check_calls_of_threads_on(some_callers());
}
MXK_LONG_TEST(remote_calls, may_come_from_threads_of_all_cores) {
    check_calls_of_threads_on(workers::count());
}

// All cores at once; one of them may be the caller's own.
MXK_TEST(remote_calls, to_all_cores_run_once_on_each) {
    auto counted = counters();
    MXK_CHECK(counted.ok());
    if (!counted) return;
    auto const cores = all_cores();
    for (int time = 0; time < 10; ++time) call_on_each(cores.span(), [&] { ++counted.value()[arch::core_local().id]; });
    for (int time = 0; time < 10; ++time) call_on_all([&] { ++counted.value()[arch::core_local().id]; });
    for (std::uint64_t const count : counted.value()) MXK_CHECK_EQUAL(count, 20U);
}

MXK_TEST(remote_calls, that_are_started_are_done_some_time) {
    std::uint64_t counted = 0; // plain: one core writes it
    RemoteCall call;
    MXK_CHECK(call.is_done());
    for (int time = 0; time < 10; ++time) {
        call.start(
            core_id(workers::count() - 1), [](void* count) { ++*static_cast<std::uint64_t*>(count); }, &counted);
        wait_until([&] { return call.is_done(); });
    }
    call.finish();
    MXK_CHECK_EQUAL(counted, 10U);
}

MXK_TEST(remote_calls, a_core_that_does_not_answer_is_named) {
    if (workers::count() < 2) MXK_SKIP("one core, which runs the test");
    struct LongTask : Task {
        LongTask()
            : Task(&LongTask::go_on) {}
        static void go_on(Worker&, Task& task) {
            auto& self = static_cast<LongTask&>(task);
            self.has_begun.store(true, std::memory_order_release);
            for (SpinWait wait; log::warning_count() == self.warnings;) wait.turn();
        }
        std::size_t warnings = log::warning_count();
        std::atomic<bool> has_begun{false};
    };
    LongTask task;
    CoreId const there = core_id(workers::count() - 1);
    Worker::current().append(task, there);
    wait_until([&] { return task.has_begun.load(std::memory_order_acquire); });
    bool is_called = false;
    call_on(there, [&] { is_called = true; });
    MXK_CHECK(is_called);
    MXK_CHECK_EQUAL(log::warning_count(), task.warnings + 1);
}

// A thread on each of up to nine cores; in each round a call to every core that is waited for, then one to every core
// that is not, and the wait for all. What is called counts without atomics, since only its caller reads it.
void check_calls_of_threads(std::size_t rounds, Nanoseconds pause) {
    constexpr std::size_t max_threads = 9;
    std::size_t const cores = workers::count();
    std::size_t const threads = std::min(cores, max_threads);
    // What one caller has one core count, without atomics: the calls order it.
    struct Called {
        CoreId core;
        std::size_t count = 0;
        std::size_t elsewhere = 0;
    };
    struct Caller {
        std::size_t cores;
        std::size_t rounds;
        Nanoseconds pause;
        NodeVector<RemoteCall> calls;
        NodeVector<Called> called; // one for each core
        void operator()() {
            RemoteCall::Function const count = [](void* it) {
                auto& here = *static_cast<Called*>(it);
                ++(arch::core_local().id == here.core ? here.count : here.elsewhere);
            };
            for (std::size_t round = 0; round < rounds; ++round) {
                for (std::size_t i = 0; i < cores; ++i) call_on(core_id(i), count, &called[i]);
                for (std::size_t i = 0; i < cores; ++i) calls[i].start(core_id(i), count, &called[i]);
                for (RemoteCall& call : calls) call.finish();
                if (pause != Nanoseconds{}) static_cast<void>(this_thread::sleep_for(pause));
            }
        }
    };
    auto callers = NodeVector<Caller>::create(threads, Worker::current().node());
    MXK_CHECK(callers.ok());
    if (!callers) return;
    ThreadGroup group(threads);
    for (std::size_t i = 0; i < threads; ++i) {
        auto calls = NodeVector<RemoteCall>::create(cores, workers::of(core_id(i)).node());
        auto called = NodeVector<Called>::create(cores, workers::of(core_id(i)).node());
        MXK_CHECK(calls.ok() && called.ok());
        if (!calls || !called) break;
        for (std::size_t core = 0; core < cores; ++core) {
            calls.value().emplace();
            called.value().emplace(core_id(core));
        }
        Caller& caller =
            callers.value().emplace(cores, rounds, pause, std::move(calls).value(), std::move(called).value());
        group.start({.core = core_id(i), .name = "caller"}, caller);
    }
    group.join();
    for (Caller const& caller : callers.value())
        for (Called const& called : caller.called) {
            MXK_CHECK_EQUAL(called.count, rounds * 2);
            MXK_CHECK_EQUAL(called.elsewhere, 0U);
        }
}

MXK_TEST(smpcall1, short_rounds) {
    check_calls_of_threads(std::max<std::size_t>(64 / workers::count(), 2), Nanoseconds{});
}
MXK_LONG_TEST(smpcall1, a_thousand_rounds) {
    check_calls_of_threads(1000, Nanoseconds{10'000'000});
}

} // namespace
} // namespace mxk
