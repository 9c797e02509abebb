// A task that gives its core up when its turn has been long enough, and one that stands behind it.
#include "tasks/turn_limit.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "main/library/runtime.hpp"

namespace mxk {
namespace {

constexpr Nanoseconds limit{1'000'000};

struct LongTask : Task {
    LongTask()
        : Task(&LongTask::work) {}
    static void work(Worker& worker, Task& task);
    int turns = 0;
    int short_turns = 0;
};

// Sent as from another core.
struct ShortTask : Task {
    explicit ShortTask(LongTask const& other)
        : Task([](Worker&, Task& task) {
            auto& self = static_cast<ShortTask&>(task);
            self.after = self.long_task.turns;
        })
        , long_task(other) {}
    LongTask const& long_task;
    int after = -1; // so many turns
};

void LongTask::work(Worker& worker, Task& task) {
    auto& self = static_cast<LongTask&>(task);
    Cycles const start = clock::timestamp();
    TurnLimit const turn(limit);
    while (!turn.is_due()) continue;
    if (clock::timestamp() - start < clock::to_cycles(limit)) ++self.short_turns;
    if (++self.turns < 20) end_turn(worker, task);
}

TEST(TurnLimitTest, what_comes_from_elsewhere_waits_for_one_turn) {
    auto runtime = Runtime::start({.cores = 1, .memory_bytes = 64 * MiB});
    ASSERT_TRUE(runtime.ok()) << runtime.error().message();
    runtime.value().run([](Worker& here) {
        LongTask long_task;
        ShortTask behind(long_task);
        ShortTask from_elsewhere(long_task);
        bool is_sent = false;
        here.append(long_task);
        here.append(behind);
        here.run_until([&] {
            if (long_task.turns == 10 && !std::exchange(is_sent, true)) here.append_from_outside(from_elsewhere);
            return long_task.turns == 20;
        });
        EXPECT_EQ(behind.after, 1);
        EXPECT_EQ(from_elsewhere.after, 10) << "it comes before the next turn";
        EXPECT_EQ(long_task.short_turns, 0);
    });
}

TEST(TurnLimitTest, a_limit_of_nothing_is_due_at_once_and_one_of_hours_is_not) {
    EXPECT_TRUE(TurnLimit(Nanoseconds{0}).is_due());
    EXPECT_FALSE(TurnLimit(Nanoseconds{3'600'000'000'000}).is_due());
}

} // namespace
} // namespace mxk
