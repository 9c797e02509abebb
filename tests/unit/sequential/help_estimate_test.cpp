// When a core that has nothing to do takes another's tasks, and when one that has helped goes again.
#include <gtest/gtest.h>

#include "tasks/dataflow/help_estimate.hpp"

namespace mxk::dataflow {
namespace {

constexpr Cycles patience{1000};

bool is_worth(HelpEstimate& help, std::size_t waiting, std::uint64_t done, std::uint64_t now) {
    return help.is_worth(waiting, done, Cycles{now}, patience, 1);
}

TEST(DataflowHelpEstimate, ATaskThatNobodyRunsIsTakenOnceThePatienceIsOver) {
    HelpEstimate help;
    EXPECT_FALSE(is_worth(help, 1, 7, 1'000'000)); // the first look knows nothing
    EXPECT_FALSE(is_worth(help, 1, 7, 1'000'999));
    EXPECT_TRUE(is_worth(help, 1, 7, 1'001'000));
    help.took_one();
    EXPECT_FALSE(is_worth(help, 0, 7, 1'001'001));
}

TEST(DataflowHelpEstimate, TasksThatTheirOwnerRunsSoonAreLeftToIt) {
    HelpEstimate help;
    std::uint64_t now = 1'000'000;
    std::uint64_t done = 0;
    for (unsigned look = 0; look < 100; ++look, now += 2000, done += 10)
        EXPECT_FALSE(is_worth(help, 3, done, now)) << look;
}

TEST(DataflowHelpEstimate, OfManySmallTasksThoseAreTakenThatTheOwnerWouldNotComeTo) {
    HelpEstimate help;
    EXPECT_FALSE(is_worth(help, 100, 0, 1'000'000));
    EXPECT_TRUE(is_worth(help, 100, 40, 1'002'000)); // it runs 20 within the patience
    for (unsigned taken = 0; taken < 80; ++taken) {
        EXPECT_TRUE(is_worth(help, 100 - taken, 40, 1'002'001)) << taken;
        help.took_one();
    }
    EXPECT_FALSE(is_worth(help, 20, 40, 1'002'002));
    EXPECT_TRUE(is_worth(help, 20, 41, 1'003'002)); // it has become slow
}

TEST(DataflowHelpEstimate, EachSeriesBeginsWithALookThatKnowsNothing) {
    HelpEstimate help;
    EXPECT_FALSE(is_worth(help, 1, 0, 1'000'000));
    EXPECT_TRUE(is_worth(help, 1, 0, 1'001'000));
    EXPECT_FALSE(help.is_worth(1, 0, Cycles{9'000'000}, patience, 2)); // it may have come just now
    EXPECT_TRUE(help.is_worth(1, 0, Cycles{9'001'000}, patience, 2));
}

// A core that has its processor for a moment only, now and then.
TEST(DataflowHelpEstimate, WhatNobodyRunsIsTakenHoweverFarLooksAreApart) {
    HelpEstimate help;
    EXPECT_FALSE(is_worth(help, 1, 5, 1'000'000));
    EXPECT_TRUE(is_worth(help, 1, 5, 900'000'000));
}

TEST(DataflowHelpEstimate, WithoutPatienceAllIsTaken) {
    HelpEstimate help;
    EXPECT_TRUE(help.is_worth(1, 0, Cycles{5}, Cycles{}, 1));
    EXPECT_TRUE(help.is_worth(1, 1000, Cycles{6}, Cycles{}, 1));
    EXPECT_FALSE(help.is_worth(0, 1000, Cycles{7}, Cycles{}, 1));
}

StayEstimate::Word look(StayEstimate& stay, std::size_t waiting, std::uint64_t done, std::uint64_t now,
                        std::uint32_t leader = 0) {
    if (!stay.is_due(leader, Cycles{now}, patience)) return StayEstimate::Word::Stay;
    return stay.look(leader, waiting, done, Cycles{now}, patience);
}

TEST(DataflowStayEstimate, AHelperLeavesALeaderThatIsQuick) {
    using enum StayEstimate::Word;
    StayEstimate stay;
    EXPECT_EQ(look(stay, 1, 500, 1'000'000), Stay); // the first look knows nothing
    EXPECT_EQ(look(stay, 1, 509, 1'000'999), Stay);
    EXPECT_EQ(look(stay, 1, 509, 1'001'000), Leave);
    EXPECT_EQ(look(stay, 9, 518, 1'002'000), Leave); // it comes to all that wait
    EXPECT_EQ(look(stay, 10, 527, 1'003'000), Stay); // not to all
    EXPECT_EQ(look(stay, 1, 543, 1'005'000), Stay);  // 8 within the patience: its tasks are long enough
    EXPECT_EQ(look(stay, 1, 561, 1'007'000), Leave); // 9
}

TEST(DataflowStayEstimate, AHelperLeadsWhereTheLeaderDoesNothing) {
    using enum StayEstimate::Word;
    StayEstimate stay;
    EXPECT_EQ(look(stay, 1, 500, 1'000'000), Stay);
    EXPECT_EQ(look(stay, 1, 500, 1'000'999), Stay);
    EXPECT_EQ(look(stay, 1, 500, 1'001'000), Lead);
}

TEST(DataflowStayEstimate, TheFirstLookAtALeaderKnowsNothing) {
    using enum StayEstimate::Word;
    StayEstimate stay;
    EXPECT_EQ(look(stay, 1, 500, 1'000'000), Stay);
    EXPECT_EQ(look(stay, 1, 500, 1'001'000, 3), Stay); // another one
    EXPECT_EQ(look(stay, 1, 900, 1'002'000, 3), Leave);
    stay.forget();
    EXPECT_EQ(look(stay, 1, 900, 1'003'000, 3), Stay);
    EXPECT_EQ(look(stay, 1, 1900, 1'003'999, 3), Stay);
}

} // namespace
} // namespace mxk::dataflow
