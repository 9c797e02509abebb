// What made-up times of walks over memory speak for, and how long it is measured.
#include <gtest/gtest.h>

#include "kernel/prefetch/prefetch_calibration.hpp"

namespace mxk {
namespace {

constexpr PrefetchPlan by_default{};

// Hints in the order of PrefetchTimes: t0, t1, t2, nta; lines 16, 32, 64, 128.
PrefetchTimes times_of(PrefetchTimes::ByFar t0, PrefetchTimes::ByFar t1, PrefetchTimes::ByFar t2,
                       PrefetchTimes::ByFar nta) {
    PrefetchTimes times;
    times.far = {t0, t1, t2, nta};
    return times;
}

TEST(PrefetchChoice, nothing_measured_or_all_alike_is_the_default) {
    EXPECT_EQ(choose_far(PrefetchTimes{}), by_default);
    EXPECT_EQ(choose_near(PrefetchTimes{}), 0U);
    PrefetchTimes::ByFar const same{20, 20, 20, 20};
    EXPECT_EQ(choose_far(times_of(same, same, same, same)), by_default);
}

TEST(PrefetchChoice, a_hint_must_be_clearly_better) {
    PrefetchTimes::ByFar const by_t2{20, 20, 20, 20};
    EXPECT_EQ(choose_far(times_of({18.1, 18.1, 18.1, 18.1}, by_t2, by_t2, by_t2)).hint, PrefetchHint::T2);
    EXPECT_EQ(choose_far(times_of({17.9, 17.9, 17.9, 17.9}, by_t2, by_t2, by_t2)).hint, PrefetchHint::T0);
    EXPECT_EQ(choose_far(times_of(by_t2, {10, 10, 10, 10}, by_t2, {9, 9, 9, 9})).hint, PrefetchHint::Nta);
    // Each at its own best number of lines.
    EXPECT_EQ(choose_far(times_of({15, 25, 25, 25}, by_t2, {50, 40, 30, 12}, by_t2)).hint, PrefetchHint::T2);
}

TEST(PrefetchChoice, as_few_lines_as_it_takes) {
    PrefetchTimes::ByFar const slow{99, 99, 99, 99};
    auto const far = [&](PrefetchTimes::ByFar const& t2) { return choose_far(times_of(slow, slow, t2, slow)).far; };
    EXPECT_EQ(far({30, 20, 14, 13.5}), 64U);
    EXPECT_EQ(far({30, 20, 14, 10}), 128U);
    EXPECT_EQ(far({30, 20, 18.5, 18.5}), 32U) << "not clearly better than the default";
    EXPECT_EQ(far({10, 20, 30, 40}), 16U);
    EXPECT_EQ(far({19, 20, 30, 40}), 32U);
}

TEST(PrefetchChoice, a_second_stage_must_pay_for_its_instructions) {
    PrefetchTimes times;
    times.near = {20, 15.1, 16, 17};
    EXPECT_EQ(choose_near(times), 0U);
    times.near = {20, 16, 14.9, 17};
    EXPECT_EQ(choose_near(times), 8U);
}

// Walks on a machine whose clock only they move.
struct FakeMachine {
    std::uint64_t clock = 0;
    std::uint64_t walks = 0;

    template <typename CyclesOfLine> PrefetchCalibration measure(std::uint64_t budget, CyclesOfLine cycles_of_line) {
        PrefetchCalibration result;
        PrefetchMeasurement(
            result, Cycles{budget},
            [&](PrefetchPlan const& plan) {
                std::uint64_t const cycles = cycles_of_line(plan) * lines_of_walk;
                clock += cycles;
                ++walks;
                return Cycles{cycles};
            },
            [&] { return Cycles{clock}; })
            .run();
        return result;
    }
};

constexpr std::uint64_t walk_of_20 = 20 * lines_of_walk;
constexpr std::uint64_t round_of_20 = 16 * walk_of_20;

TEST(PrefetchCalibration, takes_the_plan_that_the_times_speak_for) {
    FakeMachine machine;
    auto const result = machine.measure(100 * round_of_20, [](PrefetchPlan const& plan) {
        return (plan.hint == PrefetchHint::T1 ? 10U : 20U) - (plan.far >= 64 ? 2U : 0U) - (plan.near == 4 ? 4U : 0U);
    });
    EXPECT_TRUE(result.is_complete);
    EXPECT_EQ(result.plan, (PrefetchPlan{.hint = PrefetchHint::T1, .far = 64, .near = 4}));
    EXPECT_EQ(result.rounds, max_prefetch_rounds);
}

TEST(PrefetchCalibration, a_disturbed_round_does_not_count) {
    FakeMachine machine;
    auto const result = machine.measure(100 * round_of_20, [&](PrefetchPlan const&) {
        return machine.walks / 16 % 2 == 0 && machine.walks % 3 != 0 ? 300U : 20U; // by turns
    });
    EXPECT_TRUE(result.is_complete);
    EXPECT_EQ(result.plan, by_default);
}

TEST(PrefetchCalibration, ends_soon_after_its_budget) {
    for (std::uint64_t const budget : {round_of_20, 2 * round_of_20, 5 * round_of_20, 9 * round_of_20}) {
        FakeMachine machine;
        auto const result = machine.measure(budget, [](PrefetchPlan const&) { return 20U; });
        EXPECT_LE(machine.clock, budget + round_of_20);
        EXPECT_EQ(result.plan, by_default);
        EXPECT_EQ(result.rounds >= min_prefetch_rounds, budget > 4 * round_of_20);
        EXPECT_TRUE(result.rounds >= min_prefetch_rounds || !result.is_complete);
    }
}

// As a Zen 4 does in a new process: hints for the second level do nothing at first.
TEST(PrefetchCalibration, the_default_hint_has_time_before_another_one_is_chosen) {
    std::uint64_t by_t2 = 0;
    FakeMachine machine;
    auto const result = machine.measure(20 * round_of_20, [&](PrefetchPlan const& plan) {
        if (plan.hint == PrefetchHint::T2) ++by_t2;
        if (plan.hint == PrefetchHint::T0) return 30U;
        return by_t2 < 60 ? 85U : 20U;
    });
    EXPECT_EQ(result.plan, by_default);

    FakeMachine other;
    std::uint64_t const budget = 20 * round_of_20;
    auto const slow =
        other.measure(budget, [](PrefetchPlan const& plan) { return plan.hint == PrefetchHint::T0 ? 30U : 85U; });
    EXPECT_EQ(slow.plan.hint, PrefetchHint::T0);
    EXPECT_LE(other.clock, doubt * budget + 5 * round_of_20);
}

} // namespace
} // namespace mxk
