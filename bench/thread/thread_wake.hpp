// A thread that waits for a semaphore, and one that posts: from before post() until the other runs. Of one core, the
// poster waits at once, so that the core is free, and the time is taken where the sleeper comes to. Across cores the
// poster takes both times, since clocks of two cores are not compared: it spins until it sees that the other has run,
// which adds a cache line's way back; and the sleeper's core has had time to go to sleep.
#pragma once

#include <atomic>

#include "base/spin_wait.hpp"
#include "bench/frame/core_choice.hpp"
#include "bench/frame/experiment.hpp"
#include "bench/task/ending.hpp"
#include "kernel/clock.hpp"
#include "kernel/memory/node_array.hpp"
#include "tasks/owner_counter.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {

template <typename Layer> struct WakeRun {
    using ThreadTeam = typename Layer::ThreadTeam;

    struct Sleeper {
        WakeRun& run;
        void operator()() const {
            for (std::uint64_t number = 1;; ++number) {
                run.waits.store(number, std::memory_order_release);
                run.wake.wait();
                Cycles const now = clock::timestamp();
                if (run.last) return;
                run.woke_at = now;
                if (run.posted != number) ++run.wrong;
                run.has_run.store(number, std::memory_order_release); // pairs with across()
                run.answer.post();
            }
        }
    };

    struct Poster {
        WakeRun& run;
        void operator()() const {
            std::uint64_t const all = warm_up + run.samples.size();
            while (run.done.value() < all && !run.team.wanted()) {
                run.posted = run.done.value() + 1;
                Cycles const elapsed = run.one_core ? alone() : across();
                std::uint64_t const place = run.done.value();
                if (place >= warm_up) run.samples[place - warm_up] = static_cast<double>(raw(elapsed));
                run.done.add(1);
            }
            while (run.waits.load(std::memory_order_acquire) != run.done.value() + 1) Layer::yield();
            run.last = true;
            run.wake.post();
        }

        // The sleeper announces its wait and then waits: a thread that has the core afterwards finds it waiting.
        Cycles alone() const {
            while (run.waits.load(std::memory_order_acquire) != run.posted) Layer::yield();
            Cycles const start = clock::timestamp();
            run.wake.post();
            run.answer.wait();
            return run.woke_at - start;
        }
        Cycles across() const {
            for (SpinWait wait; run.waits.load(std::memory_order_acquire) != run.posted;) wait.turn();
            Cycles const settled = clock::timestamp() + clock::to_cycles(settling_time);
            for (SpinWait wait; clock::timestamp() < settled;) wait.turn();
            Cycles const start = clock::timestamp();
            run.wake.post();
            for (SpinWait wait; run.has_run.load(std::memory_order_acquire) != run.posted;) wait.turn();
            Cycles const end = clock::timestamp();
            run.answer.wait();
            return end - start;
        }
    };

    // The console's task, when both have ended.
    [[nodiscard]] Sample sample() {
        bool const none_left = !wake.try_wait() && !answer.try_wait();
        return {.value = percentile(samples, 50),
                .p99 = percentile(samples, 99),
                .operations = samples.size(),
                .verified = wrong == 0 && none_left && has_run.load(std::memory_order_relaxed) == done.value()};
    }

    static constexpr std::uint64_t warm_up = 10;
    // Longer than a worker looks for work before it halts its core (50 us).
    static constexpr Nanoseconds settling_time{100'000};

    ThreadTeam& team;
    typename Layer::Semaphore wake;
    typename Layer::Semaphore answer;
    bool one_core;
    std::span<double> samples;
    // Published by the semaphores:
    std::uint64_t posted = 0; // the number of the wake-up that is under way, from 1
    bool last = false;
    Cycles woke_at{};
    std::uint64_t wrong = 0;
    OwnerCounter done{}; // the poster's
    // The sleeper's:
    alignas(cache_line_bytes) std::atomic<std::uint64_t> waits{0}; // for this number
    std::atomic<std::uint64_t> has_run{0};
};

// Cycles of each of `wakes` wake-ups. Errors: no memory, no thread, Ctrl-C. The console's task.
template <typename Layer> Result<Sample> run_wake(Layer const& layer, CorePair cores, std::size_t wakes) {
    using Run = WakeRun<Layer>;
    auto const room = MXK_TRY(NodeArray<double>::create(wakes, workers::of(cores.first).node()));
    typename Layer::ThreadTeam team(layer, MXK_TRY(Layer::ThreadTeam::room(2)));
    Run run{.team = team,
            .wake = layer.semaphore(0),
            .answer = layer.semaphore(0),
            .one_core = cores.first == cores.second,
            .samples = room.span().first(wakes)};
    typename Run::Sleeper sleeper{run};
    typename Run::Poster poster{run};
    MXK_TRY(team.add(cores.second, sleeper));
    MXK_TRY(team.add(cores.first, poster));
    MXK_TRY(team.run("wake", Run::warm_up + wakes, &counted, &run.done));
    return run.sample();
}

} // namespace mxk::bench
