// Two threads of one core, which goes from one to the other: because they yield, or because their time slices end.
//
// yield: the two do nothing but yield to each other. A switch is a yield after which the other one has run; a yield
// after which it has not is left out, but its time is not, since nobody can tell what it was.
//
// preempt: the two never give the core away. Each writes down the time in a tight loop; one that finds that the other
// has written since its own last time has been away, and the time from the other's last stamp to its own first one is
// what the preemption took. Both stamps are of one core. A stamp may be as old as one round of the loop, some tens of
// cycles, which is in the price.
#pragma once

#include <array>
#include <atomic>

#include "bench/frame/core_choice.hpp"
#include "bench/frame/experiment.hpp"
#include "bench/task/ending.hpp"
#include "kernel/clock.hpp"
#include "kernel/memory/node_array.hpp"
#include "tasks/owner_counter.hpp"
#include "tasks/threads/thread.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {

template <typename Layer> struct YieldRun {
    using ThreadTeam = typename Layer::ThreadTeam;

    // Both are of one core: each sees the other's counters as they were when that gave the core away.
    struct Side {
        OwnerCounter yields{};
        OwnerCounter switches{};

        void step(Side const& other, std::uint64_t& seen) {
            yields.add(1);
            Layer::yield();
            if (other.yields.value() != seen) switches.add(1);
            seen = other.yields.value();
        }
    };

    // Takes the time, and ends the run.
    struct Leader {
        YieldRun& run;
        void operator()() const {
            std::uint64_t seen = 0;
            while (run.following.yields.value() == 0) Layer::yield(); // it has not begun yet
            for (unsigned i = 0; i < warm_up; ++i) run.leading.step(run.following, seen);
            run.first = run.counted();
            run.start = clock::timestamp();
            for (std::uint64_t i = 0; i < run.rounds && !run.team.wanted(); ++i) run.leading.step(run.following, seen);
            run.end = clock::timestamp();
            run.last = run.counted();
            run.over.store(true, std::memory_order_relaxed); // of the same core
        }
    };
    struct Follower {
        YieldRun& run;
        void operator()() const {
            for (std::uint64_t seen = 0; !run.over.load(std::memory_order_relaxed);)
                run.following.step(run.leading, seen);
        }
    };

    struct Counted {
        std::uint64_t yields;
        std::uint64_t switches;
    };
    [[nodiscard]] Counted counted() const {
        return {leading.yields.value() + following.yields.value(),
                leading.switches.value() + following.switches.value()};
    }
    [[nodiscard]] Sample sample() const {
        std::uint64_t const yields = last.yields - first.yields;
        std::uint64_t const switches = last.switches - first.switches;
        bool const all = leading.yields.value() == warm_up + rounds && following.yields.value() > 0;
        return {.value = switches > 0 ? static_cast<double>(raw(end - start)) / static_cast<double>(switches) : 0,
                .operations = switches,
                .left_out = yields - switches,
                .verified = all && switches <= yields && min_share * switches >= yields};
    }

    static constexpr unsigned warm_up = 1000;
    // One yield in so many must have been a switch: all are where the two have the core to themselves, fewer where the
    // system gives it to others, hardly any if yielding does nothing.
    static constexpr unsigned min_share = 10;

    ThreadTeam& team;
    std::uint64_t rounds; // of the leader; a round is a yield of each
    Side leading{};
    Side following{};
    Counted first{};
    Counted last{};
    Cycles start{};
    Cycles end{};
    std::atomic<bool> over{false};
};

// Cycles per switch, of about `yields` (both threads' together). Errors: no memory, no thread, Ctrl-C. The console's
// task.
template <typename Layer> Result<Sample> run_yield(Layer const& layer, CorePair cores, std::uint64_t yields) {
    using Run = YieldRun<Layer>;
    typename Layer::ThreadTeam team(layer, MXK_TRY(Layer::ThreadTeam::room(2)));
    Run run{.team = team, .rounds = (yields + 1) / 2};
    typename Run::Leader leader{run};
    typename Run::Follower follower{run};
    MXK_TRY(team.add(cores.first, leader));
    MXK_TRY(team.add(cores.first, follower));
    MXK_TRY(team.run("yield", Run::warm_up + run.rounds, &counted, &run.leading.yields));
    return run.sample();
}

template <typename Layer> struct PreemptRun {
    using ThreadTeam = typename Layer::ThreadTeam;

    struct Spinner {
        PreemptRun& run;
        std::size_t self;

        void operator()() const {
            std::atomic<std::uint64_t>& mine = run.stamps[self];
            std::atomic<std::uint64_t> const& others = run.stamps[1 - self];
            std::uint64_t before = raw(clock::timestamp());
            run.last.store(before, std::memory_order_relaxed); // it has the core
            while (!run.ends(before)) {
                std::uint64_t now = raw(clock::timestamp());
                std::atomic_signal_fence(std::memory_order_seq_cst); // looked at after the time, not before
                std::uint64_t const theirs = others.load(std::memory_order_relaxed);
                if (theirs > before) {
                    if (theirs > now) now = raw(clock::timestamp()); // preempted between these two
                    run.take(now - theirs, now);
                }
                mine.store(now, std::memory_order_relaxed);
                std::atomic_signal_fence(std::memory_order_seq_cst);
                before = now;
            }
        }
    };

    // The threads' core sees what they write as each of them does: relaxed is enough for all that they share.
    [[nodiscard]] bool ends(std::uint64_t now) {
        if (over.load(std::memory_order_relaxed) || team.wanted()) return true;
        if (now < last.load(std::memory_order_relaxed) + max_wait) return false;
        over.store(true, std::memory_order_relaxed);
        return true;
    }
    void take(std::uint64_t cycles, std::uint64_t now) {
        std::size_t const place = taken.fetch_add(1, std::memory_order_relaxed);
        if (place == warm_up) start = static_cast<Cycles>(now);
        if (place >= warm_up && place - warm_up < samples.size())
            samples[place - warm_up] = static_cast<double>(cycles);
        last.store(now, std::memory_order_relaxed);
        if (place + 1 != warm_up + samples.size()) return;
        end = static_cast<Cycles>(now);
        over.store(true, std::memory_order_relaxed);
    }

    // What a thread had between two preemptions on average.
    [[nodiscard]] double mean_turn() const {
        std::size_t const turns = samples.size() > 1 ? samples.size() - 1 : 1;
        return static_cast<double>(raw(end - start)) / static_cast<double>(turns);
    }
    [[nodiscard]] Result<Sample> sample() const {
        if (taken.load(std::memory_order_relaxed) < warm_up + samples.size())
            return Error("nobody took the core from a thread for 2 s: the system's policy has no time slices");
        double const turn = mean_turn();
        Sample result{.value = percentile(samples, 50),
                      .p99 = percentile(samples, 99),
                      .operations = samples.size(),
                      .verified = turn >= static_cast<double>(raw(clock::to_cycles(Thread::min_slice))) / 2};
        result.findings.add("turn_us", turn * 1e6 / static_cast<double>(clock::frequency()));
        return result;
    }

    static constexpr std::size_t warm_up = 10;

    ThreadTeam& team;
    std::span<double> samples;
    std::uint64_t max_wait; // cycles without a preemption
    std::array<std::atomic<std::uint64_t>, 2> stamps{};
    std::atomic<std::size_t> taken{0};  // preemptions
    std::atomic<std::uint64_t> last{0}; // when the last one was
    Cycles start{};                     // the first one that counts, and the last one
    Cycles end{};
    std::atomic<bool> over{false};
};

// Cycles that each of `switches` preemptions took, and the turn that a thread had between two. Verified: threads that
// ran at the same time, or were no threads of one core, would see each other in every round of their loops, and not
// have turns of half the minimum slice. Errors: no memory, no thread, Ctrl-C, a system that does not preempt. The
// console's task.
template <typename Layer> Result<Sample> run_preempt(Layer const& layer, CorePair cores, std::size_t switches) {
    using Run = PreemptRun<Layer>;
    auto const room = MXK_TRY(NodeArray<double>::create(switches, workers::of(cores.first).node()));
    typename Layer::ThreadTeam team(layer, MXK_TRY(Layer::ThreadTeam::room(2)));
    Run run{.team = team,
            .samples = room.span().first(switches),
            .max_wait = raw(clock::to_cycles(Nanoseconds{2'000'000'000}))};
    typename Run::Spinner first{run, 0};
    typename Run::Spinner second{run, 1};
    MXK_TRY(team.add(cores.first, first));
    MXK_TRY(team.add(cores.first, second));
    auto const done = [](void const* it) { return static_cast<Run const*>(it)->taken.load(std::memory_order_relaxed); };
    MXK_TRY(team.run("preempt", Run::warm_up + switches, done, &run));
    return run.sample();
}

} // namespace mxk::bench
