// When tasks of a request are taken to be left alone.
#include <gtest/gtest.h>

#include <array>

#include "tasks/dataflow/request_place.hpp"

namespace mxk::dataflow {
namespace {

constexpr Cycles after{1000};

struct PlaceOfOneNode {
    PlaceOfOneNode() { place.open(request, 0); }
    void append(ReschedulableTask& task) {
        task.set_responsible_node(0, false);
        EXPECT_EQ(place.append(task), 0);
    }
    bool is_left_alone(std::uint64_t now) { return place.is_left_alone(Cycles{now}, after); }

    static void begin(CoreScheduler&, Request&) {}
    static Outcome run(CoreScheduler&, ReschedulableTask&) { return Outcome::Ended; }
    Request request{&begin, nullptr};
    std::array<ReschedulableTask, 2> tasks{ReschedulableTask(request, &run, CoreId{0}),
                                           ReschedulableTask(request, &run, CoreId{0})};
    std::array<RequestPlace::AtNode, 1> nodes{};
    RequestPlace place{nodes};
};

TEST(DataflowRequestPlace, TasksThatNobodyTakesForSoLongAreLeftAlone) {
    PlaceOfOneNode one;
    EXPECT_FALSE(one.is_left_alone(1'000'000)); // there are none
    one.append(one.tasks[0]);
    EXPECT_FALSE(one.is_left_alone(1'000'999));
    EXPECT_TRUE(one.is_left_alone(1'001'000)); // since it was seen empty
    EXPECT_TRUE(one.is_left_alone(1'001'500)); // until somebody comes
}

// Nor what the place's last request had.
TEST(DataflowRequestPlace, TheFirstLookKnowsNothing) {
    PlaceOfOneNode one;
    one.append(one.tasks[0]);
    EXPECT_FALSE(one.is_left_alone(1'000'000));
    EXPECT_TRUE(one.is_left_alone(1'001'000));
    EXPECT_EQ(one.place.take(0), &one.tasks[0]);
    EXPECT_FALSE(one.is_left_alone(1'002'000));
    one.place.close();
    one.place.open(one.request, 0);
    one.append(one.tasks[1]);
    EXPECT_FALSE(one.is_left_alone(9'000'000));
    EXPECT_TRUE(one.is_left_alone(9'001'000));
}

TEST(DataflowRequestPlace, TasksOfWhichSomeAreTakenAreNot) {
    PlaceOfOneNode one;
    EXPECT_FALSE(one.is_left_alone(1'000'000));
    one.append(one.tasks[0]);
    one.append(one.tasks[1]);
    EXPECT_EQ(one.place.take(0), &one.tasks[0]);
    EXPECT_FALSE(one.is_left_alone(1'002'000)); // one was taken meanwhile
    EXPECT_FALSE(one.is_left_alone(1'002'999));
    EXPECT_TRUE(one.is_left_alone(1'003'000));
    EXPECT_EQ(one.place.take(0), &one.tasks[1]);
    EXPECT_FALSE(one.is_left_alone(1'009'000)); // nothing is queued
}

// Two cores look, one with a time stamp that was taken before the other's.
TEST(DataflowRequestPlace, ALookThatCameTooLateKnowsNothing) {
    PlaceOfOneNode one;
    EXPECT_FALSE(one.is_left_alone(1'000'000));
    one.append(one.tasks[0]);
    EXPECT_FALSE(one.is_left_alone(999'000));
}

TEST(DataflowRequestPlace, WithoutATimeAllThatIsQueuedIsLeftAlone) {
    PlaceOfOneNode one;
    EXPECT_FALSE(one.place.is_left_alone(Cycles{5}, Cycles{}));
    one.append(one.tasks[0]);
    EXPECT_TRUE(one.place.is_left_alone(Cycles{5}, Cycles{}));
}

} // namespace
} // namespace mxk::dataflow
