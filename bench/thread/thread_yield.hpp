// Two threads of one core that do nothing but yield to each other. A switch is a yield after which the other one has
// run; a yield after which it has not is left out, but its time is not, since nobody can tell what it was.
#pragma once

#include <atomic>

#include "bench/frame/core_choice.hpp"
#include "bench/frame/experiment.hpp"
#include "kernel/clock.hpp"
#include "tasks/owner_counter.hpp"

namespace mxk::bench {

template <typename Layer> struct YieldRun {
    using Crew = typename Layer::Crew;

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
            for (std::uint64_t i = 0; i < run.rounds && !run.crew.wanted(); ++i) run.leading.step(run.following, seen);
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
                .verified = all && switches <= yields && least_share * switches >= yields};
    }

    static constexpr unsigned warm_up = 1000;
    // One yield in so many must have been a switch: all are where the two have the core to themselves, fewer where the
    // system gives it to others, hardly any if yielding does nothing.
    static constexpr unsigned least_share = 10;

    Crew& crew;
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
    typename Layer::Crew crew(layer, MXK_TRY(Layer::Crew::room(2)));
    Run run{.crew = crew, .rounds = (yields + 1) / 2};
    typename Run::Leader leader{run};
    typename Run::Follower follower{run};
    MXK_TRY(crew.add(cores.first, leader));
    MXK_TRY(crew.add(cores.first, follower));
    auto const done = [](void const* it) { return std::size_t{static_cast<Run const*>(it)->leading.yields.value()}; };
    MXK_TRY(crew.run("yield", Run::warm_up + run.rounds, done, &run));
    return run.sample();
}

} // namespace mxk::bench
