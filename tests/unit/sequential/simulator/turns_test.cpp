// Whose turn it is, among cores that run at their own speed, sleep and wake.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "tools/simulator/model/core_turns.hpp"

namespace mxk::simulator {
namespace {

constexpr Time ahead = 30 * per_cycle;
constexpr Time block = 7 * per_cycle; // what a core runs at a time, no more

// Gives the next turn, and has its holder run until it is over.
unsigned take_turn(Turns& turns) {
    turns.pass(ahead);
    unsigned const core = turns.holder();
    if (core == Turns::nobody) return core;
    Time const limit = turns.limit() == Turns::never ? turns.clock(core) + ahead : turns.limit();
    do turns.set_clock(core, turns.clock(core) + block);
    while (turns.clock(core) <= limit);
    return core;
}

std::vector<unsigned> order(std::uint64_t seed, unsigned cores, unsigned count) {
    Turns turns(cores, seed);
    for (unsigned core = 0; core < cores; ++core) turns.wake(core, 0);
    std::vector<unsigned> result;
    for (unsigned i = 0; i < count; ++i) result.push_back(take_turn(turns));
    return result;
}

TEST(SimulatorTurns, are_drawn_and_the_same_with_the_same_seed) {
    EXPECT_EQ(order(1, 5, 500), order(1, 5, 500));
    EXPECT_NE(order(1, 5, 500), order(2, 5, 500));
}

TEST(SimulatorTurns, keep_the_clocks_together_and_leave_nobody_out) {
    for (unsigned const cores : {2U, 3U, 16U, 100U}) {
        Turns turns(cores, cores);
        for (unsigned core = 0; core < cores; ++core) turns.wake(core, 0);
        std::vector<unsigned> count(cores);
        for (unsigned i = 0; i < 400 * cores; ++i) {
            ++count[take_turn(turns)];
            Time first = Turns::never;
            Time last = 0;
            for (unsigned core = 0; core < cores; ++core) {
                first = std::min(first, turns.clock(core));
                last = std::max(last, turns.clock(core));
            }
            ASSERT_LE(last - first, 2 * ahead + block);
        }
        EXPECT_GE(*std::ranges::min_element(count), 200U);
    }
}

TEST(SimulatorTurns, a_core_does_not_go_on_for_ever_in_step_with_another) {
    // Two that take the same time: each comes twice in a row now and then, which it would not in a fixed order.
    std::vector<unsigned> const turns = order(3, 2, 1000);
    EXPECT_NE(std::ranges::adjacent_find(turns), turns.end());
}

TEST(SimulatorTurns, pass_to_the_nearest_of_those_that_may_run) {
    Turns turns(5, 1);
    turns.pass_to_nearest(ahead);
    EXPECT_EQ(turns.holder(), Turns::nobody);
    for (unsigned const core : {0U, 1U, 3U, 4U}) turns.wake(core, 0);
    std::vector<unsigned> holders;
    for (unsigned i = 0; i != 8; ++i) {
        turns.pass_to_nearest(ahead);
        holders.push_back(turns.holder());
    }
    EXPECT_EQ(holders, (std::vector<unsigned>{0, 1, 3, 4, 0, 1, 3, 4}));
    turns.set_clock(0, 2 * ahead); // too far ahead of the others
    turns.pass_to_nearest(ahead);
    EXPECT_EQ(turns.holder(), 1U);
    EXPECT_EQ(turns.others(), 0U);
    EXPECT_LE(turns.limit(), ahead);
    for (unsigned const core : {1U, 3U, 4U}) turns.sleep(core);
    turns.pass_to_nearest(ahead);
    EXPECT_EQ(turns.holder(), 0U);
    EXPECT_EQ(turns.limit(), Turns::never);
}

TEST(SimulatorTurns, those_who_sleep_hold_nobody_up) {
    Turns turns(3, 1);
    turns.pass(ahead);
    EXPECT_EQ(turns.holder(), Turns::nobody); // all sleep at first
    turns.wake(1, 100);
    turns.pass(ahead);
    EXPECT_EQ(turns.holder(), 1U);
    EXPECT_EQ(turns.limit(), Turns::never); // alone
    EXPECT_EQ(turns.others(), Turns::never);
    for (int i = 0; i < 1000; ++i) EXPECT_EQ(take_turn(turns), 1U);
    // One that is far behind comes first, and alone until it has come near.
    turns.wake(2, 50);
    Time const far = turns.clock(1);
    while (turns.clock(2) + ahead < far) ASSERT_EQ(take_turn(turns), 2U);
    // One that is woken later than its clock says is there from then on; an earlier time changes nothing.
    turns.sleep(2);
    turns.wake(2, far + 1000);
    EXPECT_EQ(turns.clock(2), far + 1000);
    turns.sleep(2);
    turns.wake(2, 1);
    EXPECT_EQ(turns.clock(2), far + 1000);
    EXPECT_FALSE(turns.is_awake(0));
}

} // namespace
} // namespace mxk::simulator
