// Where loops and functions run: on a core, on a node, where data lies, the same part on the same core each time; loops
// that end by time; and a Runtime that takes fewer cores and more again.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "kernel/memory/node_array.hpp"
#include "main/library/parallel.hpp"
#include "main/library/table.hpp"
#include "tasks/coroutine.hpp"
#include "tasks/rcu/rcu_wait.hpp"
#include "tasks/spawn.hpp"
#include "tasks/start.hpp"
#include "tasks/task_group.hpp"
#include "tasks/threads/semaphore.hpp"
#include "tasks/threads/thread.hpp"
#include "tasks/turn_limit.hpp"
#include "tasks/workers.hpp"
#include "tests/delays.hpp"

namespace mxk {
namespace {

constexpr std::size_t core_count = 4;

Result<Runtime> start(bool own_threads = true) {
    return Runtime::start({.cores = core_count, .nodes = 2, .memory_bytes = 256 * MiB, .own_threads = own_threads});
}
std::size_t here() {
    return index(Worker::current().core());
}
template <typename T> std::string message(Result<T> const& result) {
    return result.ok() ? std::string() : std::string(result.error().message());
}

// By a loop that is long enough for all to come.
std::ptrdiff_t cores_used() {
    std::array<std::atomic<bool>, core_count> used{};
    parallel_for(0, 400,
                 [&](std::uint64_t) {
                     used.at(here()) = true;
                     std::this_thread::sleep_for(std::chrono::microseconds(100));
                 },
                 {.grain = 1});
    return std::ranges::count_if(used, [](auto const& it) { return it.load(); });
}

TEST(ForkPlacesTest, a_function_runs_where_it_is_sent) {
    InjectDelays const delays;
    auto runtime = start();
    ASSERT_TRUE(runtime.ok());
    auto const node = [] { return index(Worker::current().node()); };
    for (std::size_t core = 0; core < core_count; ++core) EXPECT_EQ(run_at(on(core_id(core)), here).value(), core);
    for (std::size_t of = 0; of < 2; ++of) {
        EXPECT_EQ(run_at(on(node_id(of)), node).value(), of);
        auto const data = NodeArray<int>::create(100, node_id(of));
        ASSERT_TRUE(data.ok());
        EXPECT_EQ(run_at(at(data.value().data()), node).value(), of);
    }
    // From a task: another core, and its own.
    auto const core_of_next = [] { return run_at(on(core_id((here() + 1) % core_count)), here).value(); };
    EXPECT_EQ(run_at(on(core_id(2)), core_of_next).value(), 3U);
    EXPECT_EQ(run_at(on(core_id(2)), [] { return run_at(on(node_id(1)), here).value(); }).value(), 2U);
    std::atomic<std::uint64_t> sum{0};
    EXPECT_TRUE(run_at(on(node_id(1)), [&] { parallel_for(0, 1000, [&](std::uint64_t i) { sum += i; }); }).ok());
    EXPECT_EQ(sum.load(), 499'500U);
    EXPECT_THROW(static_cast<void>(run_at(on(core_id(1)), [] { throw std::runtime_error("there"); })),
                 std::runtime_error);
    // The program's own memory lies somewhere, or this system does not say where.
    std::vector<int> const own(100, 1);
    if (auto const place = at(own.data()).core(); !place.ok())
        EXPECT_NE(message(place).find("nobody knows"), std::string::npos);
}

TEST(ForkPlacesTest, places_that_there_are_not) {
    EXPECT_NE(message(on(core_id(0)).core()).find("there is no Runtime"), std::string::npos);
    auto runtime = start(false);
    ASSERT_TRUE(runtime.ok());
    EXPECT_EQ(message(on(core_id(9)).core()), "expected a core from 0 to 3, got 9");
    EXPECT_EQ(message(on(node_id(2)).core()), "expected a node from 0 to 1, got 2");
    EXPECT_NE(message(at(nullptr).core()).find("nobody knows"), std::string::npos);
    std::thread([] { // core 0 is the thread that has started it, which serves no other
        EXPECT_NE(message(on(core_id(0)).core()).find("runs tasks by itself, got 0"), std::string::npos);
    })
        .join();
    EXPECT_EQ(on(core_id(0)).core().value(), core_id(0));
    std::atomic<unsigned> refused{0};
    parallel_for(0, 50,
                 [&](std::uint64_t) {
                     if (!run_at(on(core_id((here() + 1) % core_count)), [] {}).ok()) ++refused;
                 },
                 {.grain = 1});
    EXPECT_EQ(refused.load(), 50U);
}

TEST(ForkPlacesTest, each_core_has_the_same_share_each_time) {
    InjectDelays const delays;
    for (bool const own_threads : {true, false}) {
        auto runtime = start(own_threads);
        ASSERT_TRUE(runtime.ok());
        std::array<std::array<std::size_t, 1003>, 2> core_of{};
        for (auto& cores_of_pass : core_of)
            EXPECT_TRUE(parallel_for(0, cores_of_pass.size(), [&](std::uint64_t i) { cores_of_pass.at(i) = here(); },
                                     {.static_shares = true}));
        EXPECT_EQ(core_of[0], core_of[1]);
        std::array<std::size_t, core_count> sizes{};
        for (std::size_t const core : core_of[0]) ++sizes.at(core);
        for (std::size_t const size : sizes) EXPECT_NEAR(static_cast<double>(size), 1003.0 / core_count, 1.0);
        EXPECT_TRUE(std::ranges::is_sorted(core_of[0]));
        std::atomic<int> few{0};
        EXPECT_TRUE(parallel_for(0, 2, [&](std::uint64_t) { ++few; }, {.static_shares = true}));
        EXPECT_EQ(few.load(), 2);
        EXPECT_THROW(parallel_for(0, 100,
                                  [](std::uint64_t i) {
                                      if (i == 60) throw std::runtime_error("60");
                                  },
                                  {.static_shares = true}),
                     std::runtime_error);
        Result<void> const failed =
            parallel_for(0, 100, [](std::uint64_t i) { return i == 7 ? Result<void>(Error("7")) : Result<void>(); },
                         {.static_shares = true});
        EXPECT_EQ(message(failed), "7");
        // Within a loop it is an ordinary one.
        std::atomic<int> inner{0};
        parallel_for(
            0, 4,
            [&](std::uint64_t) { parallel_for(0, 100, [&](std::uint64_t) { ++inner; }, {.static_shares = true}); },
            {.grain = 1});
        EXPECT_EQ(inner.load(), 400);
    }
}

// Each task of a core waits for other cores in its middle, and the next one begins meanwhile.
TEST(ForkPlacesTest, tasks_that_wait_do_so_no_deeper_than_the_stack_allows) {
    auto runtime = start();
    ASSERT_TRUE(runtime.ok());
    constexpr int tasks = 3000;
    std::atomic<int> parts{0};
    std::atomic<int> places{0};
    EXPECT_TRUE(run_at(on(core_id(1)), [&] {
                    TaskGroup group(Worker::current());
                    for (int i = 0; i < tasks; ++i)
                        EXPECT_TRUE(group.spawn(Worker::current(), core_id(1), [&](Worker&) {
                            parallel_for(0, 8, [&](std::uint64_t) { ++parts; }, {.static_shares = true});
                            if (!run_at(on(core_id(2)), [&] { ++places; }).ok()) ++places;
                        }));
                    group.wait();
                }).ok());
    EXPECT_EQ(parts.load(), 8 * tasks);
    EXPECT_EQ(places.load(), tasks);
}

TEST(ForkPlacesTest, loops_end_when_their_time_is_over) {
    auto runtime = start();
    ASSERT_TRUE(runtime.ok());
    auto const millisecond = [](auto const&...) { std::this_thread::sleep_for(std::chrono::milliseconds(1)); };
    std::atomic<unsigned> calls{0};
    auto const count = [&](auto const&... at) {
        ++calls;
        millisecond(at...);
    };
    for (bool const is_static : {false, true}) {
        calls = 0;
        EXPECT_FALSE(parallel_for(0, 100'000, count, {.time_limit = microseconds(20'000), .static_shares = is_static}));
        EXPECT_GE(calls.load(), 1U);
        EXPECT_LT(calls.load(), 50'000U);
    }
    calls = 0;
    EXPECT_FALSE(parallel_for_2d(1000, 1000, count, {.grain = 1, .time_limit = microseconds(20'000)}));
    EXPECT_LT(calls.load(), 50'000U);
    EXPECT_TRUE(parallel_for(0, 10, millisecond, {.time_limit = microseconds(60'000'000)}));
    EXPECT_TRUE(parallel_for(0, 10, millisecond, {.time_limit = Nanoseconds{~std::uint64_t{0}}}));
    EXPECT_FALSE(TurnLimit(Nanoseconds{~std::uint64_t{0}}).is_due());
    Result<void> const ended = parallel_for(0, 100'000,
                                            [&](std::uint64_t i) -> Result<void> {
                                                millisecond(i);
                                                return {};
                                            },
                                            {.time_limit = microseconds(20'000)});
    EXPECT_EQ(message(ended), "a loop was stopped before its end");
}

TEST(ForkPlacesTest, two_dimensions_stop_at_a_failure) {
    auto runtime = start();
    ASSERT_TRUE(runtime.ok());
    std::atomic<unsigned> calls{0};
    EXPECT_THROW(parallel_for_2d(1000, 1000,
                                 [&](Block2d const& block) {
                                     ++calls;
                                     if (block.row_begin == 0 && block.column_begin == 0) throw std::runtime_error("0");
                                     std::this_thread::sleep_for(std::chrono::microseconds(10));
                                 },
                                 {.grain = 1}),
                 std::runtime_error);
    EXPECT_LT(calls.load(), 900'000U);
    Result<void> const failed =
        parallel_for_2d(10, 10, [](Block2d const&) { return Result<void>(Error("a block")); }, {.grain = 1});
    EXPECT_EQ(message(failed), "a block");
}

TEST(ForkPlacesTest, fewer_cores_take_part_and_more_again) {
    auto runtime = start();
    ASSERT_TRUE(runtime.ok());
    EXPECT_GT(cores_used(), 1);
    ASSERT_TRUE(runtime.value().resize(1).ok());
    EXPECT_EQ(cores_used(), 1);
    EXPECT_EQ(run_at(on(core_id(3)), here).value(), 3U); // what is sent there runs there
    ASSERT_TRUE(runtime.value().resize(core_count).ok());
    EXPECT_GT(cores_used(), 1);
    for (std::size_t const wrong : {std::size_t{0}, core_count + 1})
        EXPECT_EQ(message(runtime.value().resize(wrong)),
                  "expected 1 to 4 cores, as many as were started, got " + std::to_string(wrong));
}

// Everything that a core can have when it leaves: tasks, a coroutine, a blocked thread, callbacks, a table's regions.
TEST(ForkPlacesTest, nothing_is_lost_when_cores_leave) {
    auto runtime = start(false);
    ASSERT_TRUE(runtime.ok());
    auto made = Table<std::uint64_t, std::uint64_t>::create();
    ASSERT_TRUE(made.ok());
    std::vector<std::uint64_t> keys(50'000);
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = i;
    EXPECT_EQ(made.value().insert(keys, keys).done, keys.size());
    runtime.value().run([&](Worker& worker) {
        constexpr int sent = 1000;
        int ended = 0;
        for (int i = 0; i < sent; ++i)
            ASSERT_TRUE(spawn(
                worker, core_id(3), [](Worker&) {}, [&](Worker&) { ++ended; }));
        struct Travels {
            static Coroutine<> go(int& visits) {
                for (int i = 0; i < 100; ++i) {
                    co_await move_to(core_id(3));
                    co_await move_to(core_id(0));
                    ++visits;
                }
            }
        };
        int visits = 0;
        ASSERT_TRUE(mxk::start(worker, Travels::go(visits)));
        Semaphore gate;
        std::atomic<bool> has_passed{false};
        auto body = [&] {
            gate.wait();
            has_passed = true;
        };
        auto thread = Thread::create({.core = core_id(3), .name = "blocked"}, body);
        ASSERT_TRUE(thread.ok());
        ASSERT_TRUE(runtime.value().resize(1).ok());
        worker.run_until([&] { return ended == sent && visits == 100; });
        EXPECT_TRUE(rcu::barrier().ok());
        rcu::synchronize();
        EXPECT_FALSE(has_passed);
        gate.post();
        EXPECT_TRUE(thread.value().join().ok());
        EXPECT_TRUE(has_passed);
    });
    std::vector<std::uint64_t> values(keys.size());
    EXPECT_EQ(made.value().find(keys, values), keys.size());
    EXPECT_EQ(values, keys);
}

// Two at the same time: what one of them has said holds, all of it.
TEST(ForkPlacesTest, several_threads_say_how_many_cores_take_part) {
    auto runtime = start();
    ASSERT_TRUE(runtime.ok());
    for (int round = 0; round < 10; ++round) {
        std::array<std::thread, 2> threads;
        for (std::size_t i = 0; i < threads.size(); ++i)
            threads.at(i) = std::thread([&, i] { EXPECT_TRUE(runtime.value().resize(i == 0 ? 1 : core_count).ok()); });
        for (std::thread& thread : threads) thread.join();
        EXPECT_EQ(cores_used() > 1, workers::takes_part(core_id(core_count - 1)));
    }
}

// While loops, coroutines and a table's calls are under way.
TEST(ForkPlacesTest, cores_leave_and_come_while_others_work) {
    InjectDelays const delays;
    auto runtime = start();
    ASSERT_TRUE(runtime.ok());
    auto made = Table<std::uint64_t, std::uint64_t>::create();
    ASSERT_TRUE(made.ok());
    std::atomic<bool> is_over{false};
    std::thread resizing([&] {
        for (std::size_t i = 0; !is_over; ++i) {
            EXPECT_TRUE(runtime.value().resize(1 + i % core_count).ok());
            std::this_thread::sleep_for(std::chrono::microseconds(100));
        }
    });
    std::vector<std::uint64_t> keys(20'000);
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = i;
    for (int round = 0; round < 10; ++round) {
        std::atomic<std::uint64_t> sum{0};
        for (bool const is_static : {false, true})
            parallel_for(0, 20'000, [&](std::uint64_t i) { sum += i; }, {.grain = 10, .static_shares = is_static});
        EXPECT_EQ(sum.load(), 2U * 199'990'000U);
        EXPECT_EQ(made.value().upsert(keys, keys).done, keys.size());
        EXPECT_EQ(made.value().size(), keys.size());
    }
    is_over = true;
    resizing.join();
}

} // namespace
} // namespace mxk
