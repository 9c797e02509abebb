// Finds the plan of prefetching for this machine: walks over memory that the caches do not hold, by each hint and with
// several numbers of lines on their way, in turns, and takes of each the minimum, which a busy neighbour disturbs
// little. See prefetch_choice.hpp for what comes of the times.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/result.hpp"
#include "base/units.hpp"
#include "kernel/clock.hpp"
#include "kernel/prefetch/prefetch_choice.hpp"

namespace mxk {

struct PrefetchCalibration {
    PrefetchPlan plan;
    PrefetchTimes times; // of a line, in cycles
    std::uint32_t rounds = 0;
    bool is_complete = false; // else there was no time for enough rounds, and the plan is the default one
    std::size_t bytes = 0;    // walked over
    Cycles touching{};        // how long it took to touch them, which the system may have had to find first
    Cycles walking{};
};

// A walk takes some 20 us, and a round, which is one of each kind, half a millisecond.
inline constexpr std::size_t lines_of_walk = 2048;
inline constexpr std::uint32_t min_prefetch_rounds = 3;
inline constexpr std::uint32_t max_prefetch_rounds = 7;
// No further round begins after that. On a quiet machine it takes 3 ms, and the rest is for one that is not.
inline constexpr Nanoseconds prefetch_budget = microseconds(10'000);
// In place of it where another hint than the default one is about to be chosen.
inline constexpr unsigned doubt = 4; // times

// Measures for one result. walk(plan): the time of lines_of_walk lines. now(): the time.
template <typename Walk, typename Now> class PrefetchMeasurement {
  public:
    PrefetchMeasurement(PrefetchCalibration& result, Cycles budget, Walk walk, Now now)
        : result_(result)
        , budget_(budget)
        , walk_(walk)
        , now_(now)
        , start_(now()) {}

    // Fills in plan, times and rounds.
    void run() {
        while (left(8) && result_.rounds < max_prefetch_rounds) far_round();
        if (result_.rounds < min_prefetch_rounds) return;
        // A Zen 4 was seen to drop all hints for the second level in a new process, until some milliseconds of them had
        // gone by: before the default hint is found slow, it has the time for that.
        if (!has_default_hint()) {
            budget_ = Cycles{raw(budget_) * doubt};
            while (left(8) && !has_default_hint()) default_round();
            for (std::uint32_t i = 0; i < max_prefetch_rounds && left(9); ++i) default_round(); // all of it at its best
        }
        PrefetchPlan plan = choose_far(result_.times);
        result_.times.near[0] = result_.times.of(plan.hint, plan.far); // the same way
        std::uint32_t near_rounds = 0;
        for (; near_rounds < max_prefetch_rounds && left(10); ++near_rounds) near_round(plan);
        if (near_rounds >= min_prefetch_rounds) plan.near = choose_near(result_.times);
        result_.plan = plan;
        result_.is_complete = true;
    }

  private:
    // Whether tenths of the budget are not over.
    [[nodiscard]] bool left(unsigned tenths) const { return now_() - start_ < Cycles{raw(budget_) / 10 * tenths}; }
    [[nodiscard]] bool has_default_hint() const { return choose_far(result_.times).hint == PrefetchPlan{}.hint; }

    void note(double& time, PrefetchPlan const& plan) {
        time = std::min(time, static_cast<double>(raw(walk_(plan))) / lines_of_walk);
    }
    void far_round() {
        for (PrefetchHint const hint : PrefetchTimes::hints) walk_by(hint);
        ++result_.rounds;
    }
    void default_round() { walk_by(PrefetchPlan{}.hint); }
    void walk_by(PrefetchHint hint) {
        for (std::uint32_t const far : PrefetchTimes::fars) note(result_.times.of(hint, far), {hint, far, 0});
    }
    void near_round(PrefetchPlan const& plan) {
        for (std::size_t near = 0; near < PrefetchTimes::nears.size(); ++near)
            note(result_.times.near[near], {plan.hint, plan.far, PrefetchTimes::nears[near]});
    }
    PrefetchCalibration& result_;
    Cycles budget_;
    Walk walk_;
    Now now_;
    Cycles start_;
};

// On memory of the node, which is given back. Takes up to prefetch_budget, where another hint than the default one
// seems better, four times as long, and the time to touch the memory (64 MiB where the third-level cache has 32: 8 ms
// where the system must find them first). Errors: no memory. Any core, which must do nothing else meanwhile; blocks
// only for the allocator's lock.
Result<PrefetchCalibration> calibrate_prefetching(CoreId core, NodeId node);

} // namespace mxk
