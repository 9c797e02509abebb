// Several threads that run until they are told to end (after HelenOS's thread1): all of them get on, also where they
// share a core.
#include <array>
#include <atomic>
#include <cstdint>

#include "kernel/clock.hpp"
#include "kernel/testing.hpp"
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

MXK_LONG_TEST(thread1, threads_get_on_for_ten_seconds) {
    run_until_told(Nanoseconds{10'000'000'000}, true);
    run_until_told(Nanoseconds{10'000'000'000}, false);
}

} // namespace
} // namespace mxk
