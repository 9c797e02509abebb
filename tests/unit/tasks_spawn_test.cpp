// Functions as tasks, and groups of them, on a Runtime with more cores than this machine may have.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <vector>

#include "main/library/runtime.hpp"
#include "tasks/run_on.hpp"
#include "tasks/task_group.hpp"
#include "tests/kernel/all_cores.hpp"

namespace mxk {
namespace {

class SpawnTest : public testing::Test {
  protected:
    template <typename Body> static void with_runtime(Body body) {
        auto runtime = Runtime::start({.cores = 4, .nodes = 2, .memory_bytes = 64 * MiB});
        ASSERT_TRUE(runtime.ok()) << runtime.error().message();
        runtime.value().run(body);
    }

    // Over all cores: 0 if every object is back in the pool that it came from.
    static std::vector<std::int64_t> in_use() {
        std::vector<std::int64_t> result;
        result.reserve(workers::count());
        for (std::size_t i = 0; i < workers::count(); ++i) result.push_back(workers::of(core_id(i)).pool().in_use());
        return result;
    }
};
using SpawnDeathTest = SpawnTest;

std::vector<std::int64_t> const none(4, 0);

TEST_F(SpawnTest, a_function_runs_once_on_its_core) {
    with_runtime([](Worker& here) {
        std::size_t left = 4;
        std::array<std::size_t, 4> ran_on{9, 9, 9, 9}; // plain: going home orders
        for (std::size_t i = 0; i < 4; ++i) {
            auto const run = [&ran_on, i](Worker& worker) { ran_on[i] = index(worker.core()); };
            ASSERT_TRUE(spawn(here, core_id(i), run, [&left](Worker& worker) {
                EXPECT_EQ(worker.core(), core_id(0));
                --left;
            }));
        }
        here.run_until([&] { return left == 0; });
        EXPECT_EQ(ran_on, (std::array<std::size_t, 4>{0, 1, 2, 3}));
        EXPECT_EQ(in_use(), none);
    });
}

// What the head of spawn.hpp says.
struct ThirtyTwoBytes {
    std::array<std::uint64_t, 4> captured;
    void operator()(Worker&) const {}
};
struct Nothing {
    void operator()(Worker&) const {}
};
static_assert(sizeof(SpawnedTask<ThirtyTwoBytes, Nothing>) == cache_line_bytes);

TEST_F(SpawnTest, nobody_needs_to_wait) {
    with_runtime([](Worker& here) {
        static std::atomic<int> runs;
        runs = 0;
        for (std::size_t i = 0; i < 1000; ++i) ASSERT_TRUE(spawn(here, core_id(i % 4), [](Worker&) { ++runs; }));
        here.run_until([&here] { return here.pool().in_use() == 0; }); // each one comes home
        EXPECT_EQ(runs.load(), 1000);
    });
}

TEST_F(SpawnTest, what_it_captures_is_gone_when_the_wait_is_over) {
    with_runtime([](Worker& here) {
        auto const shared = std::make_shared<int>(0);
        auto owned = std::make_unique<int>(7); // captures may be move-only
        TaskGroup group(here);
        for (std::size_t i = 0; i < 100; ++i)
            ASSERT_TRUE(group.spawn(here, core_id(i % 4), [shared](Worker&) { EXPECT_EQ(*shared, 0); }));
        ASSERT_TRUE(group.spawn(here, core_id(3), [owned = std::move(owned)](Worker&) { EXPECT_EQ(*owned, 7); }));
        group.wait();
        EXPECT_EQ(shared.use_count(), 1);
        EXPECT_EQ(in_use(), none);
    });
}

TEST_F(SpawnTest, a_one_way_stream_takes_no_more_memory_after_its_first_round) {
    with_runtime([](Worker& here) {
        std::size_t blocks = 0;
        for (int round = 0; round < 20; ++round) {
            TaskGroup group(here);
            for (int i = 0; i < 5000; ++i) ASSERT_TRUE(group.spawn(here, core_id(1), [](Worker&) {}));
            group.wait();
            if (round == 0) blocks = here.heap().blocks().used();
        }
        EXPECT_EQ(here.heap().blocks().used(), blocks);
        EXPECT_EQ(in_use(), none);
    });
}

// A tree of tasks: each spawns three more on other cores until the depth is used up.
void grow(TaskGroup& group, Worker& worker, int depth, std::atomic<int>& leaves) {
    if (depth == 0) {
        leaves.fetch_add(1, std::memory_order_relaxed);
        return;
    }
    for (std::size_t i = 1; i <= 3; ++i)
        EXPECT_TRUE(group.spawn(worker, core_id((index(worker.core()) + i) % workers::count()),
                                [&group, &leaves, depth](Worker& there) { grow(group, there, depth - 1, leaves); }));
}

TEST_F(SpawnTest, tasks_of_a_group_may_spawn_more) {
    with_runtime([](Worker& here) {
        TaskGroup group(here);
        for (int round = 0; round < 10; ++round) { // a group may be used again
            std::atomic<int> leaves{0};
            grow(group, here, 6, leaves);
            group.wait();
            EXPECT_EQ(leaves.load(std::memory_order_relaxed), 729);
            EXPECT_EQ(in_use(), none);
        }
    });
}

// Of two generations: the second comes home to cores that do not wait, so only the group itself can order its writes.
TEST_F(SpawnTest, what_the_tasks_wrote_may_be_read_after_the_wait) {
    with_runtime([](Worker& here) {
        std::vector<int> written(400); // plain: for TSan
        for (int round = 1; round <= 50; ++round) {
            TaskGroup group(here);
            for (std::size_t i = 0; i < written.size(); ++i) {
                auto const spawn_writer = [&, i](Worker& worker) {
                    EXPECT_TRUE(group.spawn(worker, core_id((i + 1) % 4), [&written, i](Worker&) { ++written[i]; }));
                };
                ASSERT_TRUE(group.spawn(here, core_id(i % 4), spawn_writer));
            }
            group.wait();
            for (int const value : written) ASSERT_EQ(value, round);
        }
    });
}

TEST_F(SpawnTest, an_empty_group_waits_for_nothing) {
    with_runtime([](Worker& here) {
        TaskGroup group(here);
        group.wait();
        group.wait();
    });
}

TEST_F(SpawnTest, a_group_that_goes_waits_for_its_tasks) {
    with_runtime([](Worker& here) {
        int run = 0;
        {
            TaskGroup group(here);
            ASSERT_TRUE(group.spawn(here, core_id(2), [&run](Worker&) { run = 1; }));
        }
        EXPECT_EQ(run, 1);
    });
}

TEST_F(SpawnTest, without_memory_nothing_is_spawned_and_nothing_is_lost) {
    with_runtime([](Worker& here) {
        TaskGroup group(here);
        std::atomic<int> runs{0};
        int spawned = 0;
        // The other cores do not run them before memory has ended: this core's tasks wait until it does.
        struct LargeBody {
            void operator()(Worker&) const { ++runs; }

            std::atomic<int>& runs;
            std::array<std::byte, 900> ballast{};
        };
        while (group.spawn(here, here.core(), LargeBody{runs})) ++spawned;
        EXPECT_GT(spawned, 50'000); // 64 MiB
        group.wait();
        EXPECT_EQ(runs.load(), spawned);
        EXPECT_TRUE(group.spawn(here, core_id(1), LargeBody{runs}));
        group.wait();
        EXPECT_EQ(runs.load(), spawned + 1);
        EXPECT_EQ(in_use(), none);
    });
}

TEST_F(SpawnDeathTest, only_its_owner_waits_for_a_group) {
    EXPECT_DEATH(with_runtime([](Worker& here) {
                     TaskGroup group(here);
                     static_cast<void>(group.spawn(here, core_id(1), [&group](Worker&) { group.wait(); }));
                     group.wait();
                 }),
                 "the core that made a task group waits for it");
}

TEST_F(SpawnDeathTest, a_task_that_throws_ends_the_program) {
    EXPECT_DEATH(with_runtime([](Worker& here) {
                     TaskGroup group(here);
                     static_cast<void>(group.spawn(here, core_id(1), [](Worker&) { throw 1; }));
                     group.wait();
                 }),
                 "terminate");
}

} // namespace
} // namespace mxk
