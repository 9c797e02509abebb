// Several threads that run until they are told to end (after HelenOS's thread1): all of them get on, also where they
// share a core.
#include <array>
#include <atomic>
#include <cstdint>
#include <span>

#include "kernel/clock.hpp"
#include "kernel/testing.hpp"
#include "tasks/run_on.hpp"
#include "tasks/threads/semaphore.hpp"
#include "tasks/wait_until.hpp"
#include "tests/kernel/thread_group.hpp"

namespace mxk {
namespace {

// One in three of them never gives the core away by itself.
void run_until_told(Nanoseconds time, bool on_one_core) {
    struct Runner {
        std::atomic<bool>* is_over = nullptr;
        bool yields = false;
        std::atomic<std::uint64_t> turns{0};
        bool has_ended = false;
        void operator()() {
            while (!is_over->load(std::memory_order_relaxed)) {
                turns.fetch_add(1, std::memory_order_relaxed);
                if (yields) this_thread::yield();
            }
            has_ended = true;
        }
    };
    constexpr std::size_t threads = 5;
    std::atomic<bool> is_over{false};
    std::array<Runner, threads> runners;
    ThreadGroup group(threads);
    for (std::size_t i = 0; i < threads; ++i) {
        runners[i].is_over = &is_over;
        runners[i].yields = i % 3 != 0;
        CoreId const core = core_id(on_one_core ? workers::count() - 1 : i % workers::count());
        group.start({.core = core, .name = "runner", .slice = Nanoseconds{200'000}}, runners[i]);
    }
    std::uint64_t const end = raw(clock::now()) + raw(time);
    // That long, and until each of them has had a turn after others.
    wait_until([&] {
        bool all = raw(clock::now()) >= end;
        for (Runner const& runner : runners) all = all && runner.turns.load(std::memory_order_relaxed) > 100;
        return all;
    });
    is_over.store(true, std::memory_order_relaxed);
    group.join();
    for (Runner const& runner : runners) MXK_CHECK(runner.has_ended);
}

MXK_TEST(thread1, threads_of_one_core_all_get_on) {
    run_until_told(Nanoseconds{50'000'000}, true);
}

MXK_TEST(thread1, threads_of_all_cores_all_get_on) {
    run_until_told(Nanoseconds{50'000'000}, false);
}

// A worker that would poll for a minute sleeps at once while a thread wants its processor, and polls when that waits.
MXK_TEST(thread1, a_worker_does_not_poll_while_a_thread_wants_its_processor) {
    if (workers::count() < 2) MXK_SKIP("needs two cores");
    if (Thread::has_slices()) MXK_SKIP("threads have turns among the core's tasks");
    CoreId const core = core_id(workers::count() - 1);
    auto const run_there = [&](auto function) {
        MXK_CHECK(run_on(std::span(&core, 1), [&](Worker& worker, std::size_t) {
            function(worker);
            return Step::Done;
        }));
    };
    auto const sleeps = [&] { return workers::of(core).statistics().sleeps.value(); };
    // Whether it goes to sleep after its next task. It may have been about to before, once.
    auto const sleeps_after_a_task = [&](Nanoseconds within) {
        std::uint64_t const before = sleeps();
        run_there([](Worker&) {});
        std::uint64_t const end = raw(clock::now()) + raw(within);
        wait_until([&] { return sleeps() != before || raw(clock::now()) >= end; });
        return sleeps() != before;
    };
    Nanoseconds polling_time{};
    run_there([&](Worker& worker) {
        polling_time = worker.polling_time();
        worker.set_polling_time(Nanoseconds{60'000'000'000});
    });
    Semaphore wait(0);
    std::atomic<bool> runs{false};
    std::atomic<bool> is_over{false};
    auto runner = [&] {
        runs.store(true, std::memory_order_release);
        while (!is_over.load(std::memory_order_acquire)) this_thread::yield();
        wait.wait();
    };
    ThreadGroup group(1);
    group.start({.core = core, .name = "runner"}, runner);
    wait_until([&] { return runs.load(std::memory_order_acquire); });
    for (unsigned times = 0; times < 3; ++times) MXK_CHECK(sleeps_after_a_task(Nanoseconds{20'000'000'000}));
    is_over.store(true, std::memory_order_release);
    // It waits for the semaphore once it has had the processor again, and nobody else wants that.
    bool polls = false;
    for (std::uint64_t const end = raw(clock::now()) + 20'000'000'000; !polls && raw(clock::now()) < end;)
        polls = !sleeps_after_a_task(Nanoseconds{20'000'000});
    MXK_CHECK(polls);
    wait.post();
    group.join();
    run_there([&](Worker& worker) { worker.set_polling_time(polling_time); });
}

MXK_LONG_TEST(thread1, threads_get_on_for_ten_seconds) {
    run_until_told(Nanoseconds{10'000'000'000}, true);
    run_until_told(Nanoseconds{10'000'000'000}, false);
}

} // namespace
} // namespace mxk
