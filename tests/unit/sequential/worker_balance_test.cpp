// The rules by which a work queue grows and shrinks.
#include <gtest/gtest.h>

#include "tasks/workqueue/worker_balance.hpp"

namespace mxk {
namespace {

constexpr WorkQueueLimits limits{.min_idle = 2, .max_workers = 6, .max_running = 3, .items_per_worker = 8};

TEST(WorkerBalance, defaults_follow_the_number_of_cores) {
    EXPECT_EQ(default_work_queue_limits(1), (WorkQueueLimits{2, 32, 2, 8}));
    EXPECT_EQ(default_work_queue_limits(4), (WorkQueueLimits{2, 32, 4, 8}));
    EXPECT_EQ(default_work_queue_limits(64), (WorkQueueLimits{16, 512, 64, 8}));
}

TEST(WorkerBalance, the_first_item_needs_a_worker_however_it_comes) {
    WorkQueueCounts const first{.items = 1};
    EXPECT_EQ(growth_of(limits, first, true), Growth::Create);
    EXPECT_EQ(growth_of(limits, first, false), Growth::Create);
    EXPECT_EQ(growth_of(limits, {}, true), Growth::None);
}

TEST(WorkerBalance, an_active_worker_has_so_many_items_before_there_is_another) {
    EXPECT_EQ(growth_of(limits, {.items = 8, .workers = 1}, true), Growth::None);
    EXPECT_EQ(growth_of(limits, {.items = 9, .workers = 1}, true), Growth::Create);
    EXPECT_EQ(growth_of(limits, {.items = 16, .workers = 2}, true), Growth::None);
    EXPECT_EQ(growth_of(limits, {.items = 9, .workers = 1}, false), Growth::None) << "it comes round to them";
    EXPECT_EQ(growth_of(limits, {.items = 9, .workers = 1, .starting = 1}, true), Growth::Create);
}

TEST(WorkerBalance, an_idle_worker_is_woken_before_one_is_created) {
    EXPECT_EQ(growth_of(limits, {.items = 1, .workers = 2, .idle = 2}, true), Growth::Wake);
    EXPECT_EQ(growth_of(limits, {.items = 1, .workers = 2, .idle = 1}, false), Growth::None);
    EXPECT_EQ(growth_of(limits, {.items = 9, .workers = 2, .idle = 1}, false), Growth::Wake);
}

TEST(WorkerBalance, blocked_workers_do_not_run) {
    EXPECT_EQ(growth_of(limits, {.items = 1, .workers = 5, .blocked = 5}, false), Growth::Create);
    EXPECT_EQ(growth_of(limits, {.items = 1, .workers = 6, .blocked = 6}, true), Growth::None) << "max_workers";
    EXPECT_EQ(growth_of(limits, {.items = 99, .workers = 5, .blocked = 3}, true), Growth::Create);
    EXPECT_EQ(growth_of(limits, {.items = 99, .workers = 5, .blocked = 2}, true), Growth::None) << "max_running";
}

TEST(WorkerBalance, workers_end_where_enough_are_idle_or_too_many_run) {
    EXPECT_FALSE(is_superfluous(limits, {.workers = 2, .idle = 1}));
    EXPECT_TRUE(is_superfluous(limits, {.workers = 3, .idle = 2}));
    EXPECT_FALSE(is_superfluous(limits, {.items = 1, .workers = 3, .idle = 0}));
    EXPECT_TRUE(is_superfluous(limits, {.items = 1, .workers = 4, .idle = 0}));
    EXPECT_FALSE(is_superfluous(limits, {.items = 1, .workers = 4, .blocked = 1}));
}

// Whatever the counts are: who asks as the only one that runs does not end while there are items.
TEST(WorkerBalance, items_are_never_left_without_a_worker) {
    for (std::size_t items = 1; items < 20; ++items)
        for (std::size_t blocked = 0; blocked < 6; ++blocked) {
            WorkQueueCounts const alone{.items = items, .workers = blocked + 1, .blocked = blocked};
            EXPECT_FALSE(is_superfluous(limits, alone));
            WorkQueueCounts const none{.items = items, .workers = blocked, .blocked = blocked};
            EXPECT_EQ(growth_of(limits, none, false), Growth::Create);
        }
}

TEST(WorkerBalance, says_where_it_goes) {
    EXPECT_EQ(trend_of(limits, {}), Trend::Stable);
    EXPECT_EQ(trend_of(limits, {.workers = 2, .idle = 2}), Trend::Stable);
    EXPECT_EQ(trend_of(limits, {.items = 1, .workers = 1, .starting = 1}), Trend::Increasing);
    EXPECT_EQ(trend_of(limits, {.workers = 3, .idle = 2}), Trend::Decreasing);
    EXPECT_EQ(trend_of(limits, {.items = 4, .workers = 4}), Trend::Decreasing);
}

} // namespace
} // namespace mxk
