// Which of several boxes gets the next envelope.
#include <gtest/gtest.h>

#include <vector>

#include "tasks/dataflow/graph/shortest_queue.hpp"

namespace mxk::dataflow {
namespace {

std::size_t choose(std::vector<std::uint32_t> const& loads, std::size_t last) {
    return shortest_queue(loads.size(), last, [&](std::size_t at) { return loads[at]; });
}

TEST(DataflowShortestQueue, OneThatIsIdleGetsTheEnvelope) {
    EXPECT_EQ(choose({1, 0, 3}, 0), 1U);
    EXPECT_EQ(choose({0, 1, 3}, 0), 0U); // the last one again
    EXPECT_EQ(choose({5}, 0), 0U);
}

TEST(DataflowShortestQueue, WhereNoneIsIdleTheOneWithTheFewestBeforeIt) {
    EXPECT_EQ(choose({4, 3, 2}, 0), 2U);
    EXPECT_EQ(choose({2, 3, 4}, 0), 0U);
}

TEST(DataflowShortestQueue, BoxesAlikeGetThemInTurn) {
    EXPECT_EQ(choose({0, 0, 0}, 0), 1U);
    EXPECT_EQ(choose({0, 0, 0}, 2), 0U);
    EXPECT_EQ(choose({2, 2, 2}, 1), 2U);
}

TEST(DataflowShortestQueue, WhatIsNotWantedGetsNone) {
    EXPECT_EQ(choose({9, not_wanted, 9}, 0), 2U);
    EXPECT_EQ(choose({not_wanted, not_wanted}, 0), no_box);
}

// Looking costs the lines of other cores.
TEST(DataflowShortestQueue, NobodyIsAskedBehindOneThatIsIdle) {
    std::size_t asked = 0;
    EXPECT_EQ(shortest_queue(5, 1,
                             [&](std::size_t at) {
                                 ++asked;
                                 return at == 3 ? 0U : 1U;
                             }),
              3U);
    EXPECT_EQ(asked, 2U);
}

} // namespace
} // namespace mxk::dataflow
