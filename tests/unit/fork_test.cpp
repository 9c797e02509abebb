// Forks and the algorithms over them: in tasks, in threads of the program, without a Runtime; with bodies that throw or
// fail; and that nothing is done twice or not at all.
#include <gtest/gtest.h>

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "main/library/parallel.hpp"
#include "main/library/set.hpp"
#include "main/library/table.hpp"
#include "tasks/task_group.hpp"
#include "tests/delays.hpp"
#include "tests/fibonacci.hpp"

namespace mxk {
namespace {

class ForkTest : public testing::Test {
  protected:
    static Result<Runtime> start(std::uint32_t cores, bool own_threads = true) {
        return Runtime::start(
            {.cores = cores, .nodes = std::min(cores, 2U), .memory_bytes = 256 * MiB, .own_threads = own_threads});
    }
    // How often each of so many numbers was visited.
    class Visits {
      public:
        explicit Visits(std::size_t count)
            : counts_(count) {}
        void add(std::uint64_t at) { counts_[at].fetch_add(1, std::memory_order_relaxed); }
        [[nodiscard]] bool are_all(unsigned times) const {
            return std::ranges::all_of(counts_, [&](auto const& it) { return it.load() == times; });
        }
        [[nodiscard]] std::size_t sum() const {
            return std::accumulate(counts_.begin(), counts_.end(), std::size_t{0},
                                   [](std::size_t sum, auto const& it) { return sum + it.load(); });
        }

      private:
        std::vector<std::atomic<unsigned>> counts_;
    };
    static std::vector<std::uint32_t> numbers(std::size_t count, std::uint32_t kinds) {
        std::mt19937 random(5);
        std::vector<std::uint32_t> result(count);
        for (std::uint32_t& it : result) it = random() % kinds;
        return result;
    }
    static std::size_t count_tree(unsigned depth) {
        std::atomic<std::size_t> count{1};
        if (depth == 0) return count;
        ForkGroup group;
        for (unsigned i = 0; i < 3; ++i) group.run([&count, depth] { count += count_tree(depth - 1); });
        group.wait();
        return count;
    }
};

TEST_F(ForkTest, recursion_on_all_cores) {
    InjectDelays const delays;
    for (std::uint32_t const cores : {1U, 2U, 4U}) {
        auto runtime = start(cores);
        ASSERT_TRUE(runtime.ok());
        EXPECT_EQ(forks::enter([](ForkCore& core) { return fibonacci(core, 18); }), 2584U);
    }
}

TEST_F(ForkTest, a_loop_visits_each_number_once) {
    InjectDelays const delays;
    auto runtime = start(3);
    ASSERT_TRUE(runtime.ok());
    for (std::size_t const count : {0U, 1U, 2U, 3U, 1000U, 100'000U})
        for (std::uint64_t const grain : {0U, 1U, 7U, 1U << 20}) {
            if (grain == 1 && count > 1000) continue;
            Visits visits(count);
            parallel_for(0, count, [&](std::uint64_t i) { visits.add(i); }, {.grain = grain});
            EXPECT_TRUE(visits.are_all(1)) << count << " by " << grain;
        }
    Visits visits(10);
    parallel_for(7, 3, [&](std::uint64_t i) { visits.add(i); });
    EXPECT_EQ(visits.sum(), 0U);
    parallel_for(3, 7, [&](std::uint64_t i) { visits.add(i); });
    EXPECT_EQ(visits.sum(), 4U);
    std::uint64_t const last = ~std::uint64_t{0};
    std::atomic<int> seen{0};
    parallel_for(last - 3, last, [&](std::uint64_t) { ++seen; }, {.grain = last});
    EXPECT_EQ(seen.load(), 3);
}

TEST_F(ForkTest, blocks_of_two_dimensions) {
    auto runtime = start(3);
    ASSERT_TRUE(runtime.ok());
    for (auto const& [rows, columns] : {std::pair{1U, 1U}, {1U, 500U}, {300U, 1U}, {37U, 91U}, {0U, 5U}, {5U, 0U}})
        for (std::uint64_t const grain : {0U, 1U, 50U}) {
            Visits visits(std::size_t{rows} * columns);
            parallel_for_2d(rows, columns,
                            [&, width = columns](Block2d const& block) {
                                for (std::uint64_t row = block.row_begin; row < block.row_end; ++row)
                                    for (std::uint64_t column = block.column_begin; column < block.column_end; ++column)
                                        visits.add(row * width + column);
                            },
                            {.grain = grain});
            EXPECT_TRUE(visits.are_all(1)) << rows << " by " << columns << ", grain " << grain;
        }
}

TEST_F(ForkTest, sums_and_their_order) {
    std::optional<Result<Runtime>> runtime(start(3));
    ASSERT_TRUE(runtime->ok());
    auto const number = [](std::uint64_t i) { return i; };
    for (std::uint64_t const count : {0U, 1U, 5U, 200'000U})
        EXPECT_EQ(parallel_reduce(0, count, std::uint64_t{0}, number, std::plus<>()),
                  count == 0 ? 0 : count * (count - 1) / 2);
    // Not commutative: the parts come in their order.
    auto const text = [](std::uint64_t i) { return std::string(1, static_cast<char>('a' + i % 26)); };
    std::string expected;
    for (std::uint64_t i = 0; i < 2'000; ++i) expected += text(i);
    for (std::uint64_t const grain : {0U, 1U, 3U})
        EXPECT_EQ(parallel_reduce(0, 2'000, std::string(), text, std::plus<>(), {.grain = grain}), expected);
    // Bit by bit the same sum, on any number of cores.
    auto const fraction = [](std::uint64_t i) { return 1.0 / static_cast<double>(3 * i + 1); };
    auto const sum = [&] { return parallel_reduce(0, 300'000, 0.0, fraction, std::plus<>(), {.fixed_order = true}); };
    double const first = sum();
    for (int i = 0; i < 5; ++i) EXPECT_EQ(sum(), first);
    runtime.reset();
    EXPECT_EQ(sum(), first);
}

TEST_F(ForkTest, prefix_sums) {
    auto runtime = start(3);
    ASSERT_TRUE(runtime.ok());
    for (std::size_t const count : {0U, 1U, 100U, 16'384U, 16'385U, 150'000U}) {
        auto values = numbers(count, 1000);
        std::vector<std::uint32_t> expected(count);
        std::inclusive_scan(values.begin(), values.end(), expected.begin());
        std::vector<std::uint32_t> results(count);
        parallel_inclusive_scan<std::uint32_t>(values, results, std::plus<>());
        EXPECT_EQ(results, expected);
        parallel_inclusive_scan<std::uint32_t>(values, values, std::plus<>()); // in place
        EXPECT_EQ(values, expected);
    }
}

TEST_F(ForkTest, sorts) {
    auto runtime = start(3);
    ASSERT_TRUE(runtime.ok());
    for (std::size_t const count : {0U, 1U, 2U, 17U, 4'097U, 200'000U})
        for (std::uint32_t const kinds : {1U, 3U, ~0U}) {
            auto values = numbers(count, kinds);
            auto expected = values;
            std::ranges::sort(expected);
            ASSERT_TRUE(parallel_sort(std::span(values)).ok());
            EXPECT_EQ(values, expected);
            ASSERT_TRUE(parallel_sort(std::span(values), std::greater<>()).ok());
            std::ranges::reverse(expected);
            EXPECT_EQ(values, expected);
        }
}

TEST_F(ForkTest, stable_sort_and_partition_keep_the_order_of_equals) {
    struct Pair {
        std::uint32_t key;
        std::uint32_t place;
        bool operator==(Pair const&) const = default;
    };
    auto runtime = start(3);
    ASSERT_TRUE(runtime.ok());
    for (std::size_t const count : {0U, 1U, 15U, 33U, 5'000U, 150'000U}) {
        auto const keys = numbers(count, 50);
        std::vector<Pair> values(count);
        for (std::uint32_t i = 0; i < count; ++i) values[i] = {keys[i], i};
        auto sorted = values;
        auto const less = [](Pair const& a, Pair const& b) { return a.key < b.key; };
        ASSERT_TRUE(parallel_stable_sort(std::span(sorted), less).ok());
        auto expected = values;
        std::ranges::stable_sort(expected, less);
        EXPECT_EQ(sorted, expected);
        auto const belongs = [](Pair const& it) { return it.key % 3 == 0; };
        expected = values;
        auto const in = static_cast<std::size_t>(std::stable_partition(expected.begin(), expected.end(), belongs) -
                                                 expected.begin());
        auto const found = parallel_partition(std::span(values), belongs);
        ASSERT_TRUE(found.ok());
        EXPECT_EQ(found.value(), in);
        EXPECT_EQ(values, expected);
    }
}

TEST_F(ForkTest, without_memory_nothing_is_sorted) {
    auto runtime = Runtime::start({.cores = 2, .memory_bytes = 16 * MiB, .own_threads = true});
    ASSERT_TRUE(runtime.ok());
    auto values = numbers(5'000'000, ~0U);
    auto const before = values;
    auto const sorted = parallel_sort(std::span(values));
    ASSERT_FALSE(sorted.ok());
    EXPECT_NE(std::string(sorted.error().message()).find("out of memory"), std::string::npos);
    EXPECT_FALSE(parallel_partition(std::span(values), [](std::uint32_t it) { return it % 2 == 0; }).ok());
    EXPECT_EQ(values, before);
    std::vector<std::uint32_t> sums(values.size());
    parallel_inclusive_scan<std::uint32_t>(values, sums, std::plus<>());
    EXPECT_EQ(sums.back(), std::accumulate(values.begin(), values.end(), std::uint32_t{0}));
}

// What a body throws comes out once, after all that has begun has ended; and the cores go on.
TEST_F(ForkTest, bodies_that_throw) {
    InjectDelays const delays;
    auto runtime = start(3);
    ASSERT_TRUE(runtime.ok());
    for (int round = 0; round < 20; ++round) {
        std::atomic<int> inside{0};
        std::atomic<int> calls{0};
        auto const body = [&](std::uint64_t i) {
            ++inside;
            ++calls;
            std::this_thread::yield();
            --inside;
            if (i % 100 == 57) throw std::runtime_error("57");
        };
        EXPECT_THROW(parallel_for(0, 100'000, body, {.grain = 1}), std::runtime_error);
        EXPECT_EQ(inside.load(), 0);
        EXPECT_LT(calls.load(), 100'000);
        EXPECT_THROW((void)parallel_reduce(
                         0, 1'000, 0, [](std::uint64_t i) { return i == 500 ? throw 5 : 1; }, std::plus<>()),
                     int);
        auto const left = [] { throw std::runtime_error("left"); };
        auto const right = [] { throw std::logic_error("right"); };
        EXPECT_THROW(parallel_invoke(left, right), std::runtime_error);
        ForkGroup group;
        group.run([] {});
        group.run(right);
        EXPECT_THROW(forks::enter([&](ForkCore&) {
                         ForkGroup inner;
                         for (int i = 0; i < 10; ++i) inner.run(right);
                         inner.wait();
                     }),
                     std::logic_error);
        EXPECT_THROW(group.wait(), std::logic_error);
        group.wait();
    }
    EXPECT_EQ(parallel_reduce(
                  0, 1'000, 0, [](std::uint64_t) { return 1; }, std::plus<>()),
              1'000);
}

TEST_F(ForkTest, bodies_that_fail_and_loops_that_are_stopped) {
    auto runtime = start(3);
    ASSERT_TRUE(runtime.ok());
    std::atomic<std::uint64_t> calls{0};
    auto const body = [&](std::uint64_t i) -> Result<void> {
        ++calls;
        if (i == 30) return Error::of("no {}", i);
        return {};
    };
    Result<void> const failed = parallel_for(0, 1'000'000, body, {.grain = 10});
    ASSERT_FALSE(failed.ok());
    EXPECT_EQ(failed.error().message(), "no 30");
    // Of the four pieces up to the error each may have forked half of what was left, and all of that may have been run.
    EXPECT_LT(calls.load(), 1'000'000U - (1'000'000U >> 5) + 100);
    EXPECT_TRUE(parallel_for(100, 200, body).ok());
    std::atomic<bool> stop{false};
    calls = 0;
    parallel_for(0, 1'000'000,
                 [&](std::uint64_t) {
                     if (++calls == 100) stop = true;
                 },
                 {.grain = 1, .stop = &stop});
    EXPECT_GE(calls.load(), 100U);
    EXPECT_LT(calls.load(), 1'000'000U);
}

TEST_F(ForkTest, groups_within_groups_and_more_than_there_is_room_for) {
    InjectDelays const delays;
    auto runtime = start(3);
    ASSERT_TRUE(runtime.ok());
    EXPECT_EQ(forks::enter([](ForkCore&) { return count_tree(6); }), 1093U);
    EXPECT_EQ(count_tree(3), 40U); // in a thread: each at once
    forks::enter([](ForkCore&) {
        std::atomic<int> calls{0};
        ForkGroup group;
        for (int i = 0; i < 5'000; ++i) group.run([&calls] { ++calls; });
        group.wait();
        EXPECT_EQ(calls.load(), 5'000);
        {
            ForkGroup dropped;
            dropped.run([&calls] { ++calls; });
        }
        EXPECT_EQ(calls.load(), 5'001);
        for (int i = 0; i < 1'000; ++i)
            group.run([i] {
                if (i == 700) throw 700;
            });
        EXPECT_THROW(group.wait(), int);
    });
}

// The first iterations cost nothing, the last ones much: they are divided all the same.
TEST_F(ForkTest, iterations_that_cost_more_and_more) {
    auto runtime = start(2);
    ASSERT_TRUE(runtime.ok());
    std::atomic<unsigned> on_others{0};
    std::thread::id first{};
    parallel_for(0, 20'100, [&](std::uint64_t i) {
        if (i == 0) first = std::this_thread::get_id();
        if (i < 20'000) return;
        std::this_thread::sleep_for(std::chrono::microseconds(200));
        if (std::this_thread::get_id() != first) ++on_others;
    });
    EXPECT_GE(on_others.load(), 20U);
    std::atomic<std::uint64_t> sum{0};
    parallel_for_ranges(0, ~std::uint64_t{0}, [&](std::uint64_t from, std::uint64_t to) { sum += to - from; });
    EXPECT_EQ(sum.load(), ~std::uint64_t{0});
}

// Functions at the same time: none ends before the other has begun.
TEST_F(ForkTest, two_run_at_the_same_time) {
    auto runtime = start(2);
    ASSERT_TRUE(runtime.ok());
    for (int round = 0; round < 20; ++round) {
        std::atomic<int> begun{0};
        auto const meet = [&] {
            ++begun;
            while (begun.load() < 2) std::this_thread::yield();
        };
        parallel_invoke(meet, meet);
        EXPECT_EQ(begun.load(), 2);
        // Asleep from now and then: a fork wakes a core.
        if (round % 5 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
}

TEST_F(ForkTest, threads_of_the_program_at_once) {
    InjectDelays const delays;
    auto runtime = start(2);
    ASSERT_TRUE(runtime.ok());
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread)
        threads.emplace_back([] {
            for (int round = 0; round < 10; ++round) {
                auto values = numbers(10'000, ~0U);
                ASSERT_TRUE(parallel_sort(std::span(values)).ok());
                EXPECT_TRUE(std::ranges::is_sorted(values));
                std::atomic<int> inner{0};
                parallel_for(0, 20, [&](std::uint64_t) { parallel_for(0, 20, [&](std::uint64_t) { ++inner; }); });
                EXPECT_EQ(inner.load(), 400);
            }
        });
    for (std::thread& thread : threads) thread.join();
}

// Where no core runs tasks by itself, and where there is none: the thread does it alone.
TEST_F(ForkTest, without_others) {
    auto const expect_right = [] {
        EXPECT_EQ(parallel_reduce(
                      0, 1'000, std::uint64_t{0}, [](std::uint64_t i) { return i; }, std::plus<>()),
                  499'500U);
        int calls = 0;
        parallel_invoke([&] { ++calls; }, [&] { ++calls; }, [&] { ++calls; });
        EXPECT_EQ(calls, 3);
    };
    expect_right();
    auto few = numbers(5'000, ~0U);
    EXPECT_EQ(parallel_sort(std::span(few)).error().message(), "a parallel sort needs a Runtime that runs");
    auto runtime = start(1, false);
    ASSERT_TRUE(runtime.ok());
    std::thread(expect_right).join();
    runtime.value().run([&](Worker&) { expect_right(); });
    expect_right(); // the thread that started it is a core
}

// Tasks of a core's queue are never stolen, and go on when a loop ends; a loop in a task uses the other cores.
TEST_F(ForkTest, in_tasks) {
    auto runtime = start(3, false);
    ASSERT_TRUE(runtime.ok());
    runtime.value().run([](Worker& worker) {
        TaskGroup group(worker);
        std::atomic<int> right{0};
        for (std::size_t i = 0; i < 30; ++i)
            EXPECT_TRUE(group.spawn(worker, core_id(i % 3), [&right, core = core_id(i % 3)](Worker& here) {
                std::atomic<int> sum{0};
                parallel_for(0, 100, [&](std::uint64_t) { ++sum; }, {.grain = 1});
                if (here.core() == core && &Worker::current() == &here && sum == 100) ++right;
            }));
        group.wait();
        EXPECT_EQ(right.load(), 30);
    });
}

double processor_seconds() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    auto const seconds = [](timeval time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

// A program that has run a loop on all cores and goes on alone; the cores are watched.
TEST_F(ForkTest, cores_without_work_take_one_percent_of_a_processor_or_less) {
    auto runtime = Runtime::start({.memory_bytes = 256 * MiB, .own_threads = true, .warn_after = microseconds(50'000)});
    ASSERT_TRUE(runtime.ok()) << runtime.error().message();
    std::atomic<std::uint64_t> sum{0};
    parallel_for(0, 100'000, [&](std::uint64_t i) { sum.fetch_add(i, std::memory_order_relaxed); });
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    double const before = processor_seconds();
    std::this_thread::sleep_for(std::chrono::seconds(1));
    double const used = processor_seconds() - before;
    EXPECT_LE(used, 0.01 * static_cast<double>(runtime.value().topology().cores.size()));
    RecordProperty("microseconds", static_cast<int>(used * 1e6));
}

TEST_F(ForkTest, all_pairs_of_a_table_are_visited_and_summed_once_beside_readers) {
    constexpr std::uint64_t count = 20'000;
    auto const runtime = start(4);
    ASSERT_TRUE(runtime.ok());
    auto made = Table<std::uint64_t, std::uint64_t>::create();
    ASSERT_TRUE(made.ok());
    auto& table = made.value();
    for (std::uint64_t key = 0; key < count; ++key) ASSERT_TRUE(table.insert(key, key + 1));
    std::atomic<bool> ended{false};
    std::thread reader([&] {
        while (!ended) EXPECT_EQ(table.find(7), 8U);
    });
    Visits visits(count);
    EXPECT_TRUE(parallel_for(table, [&](std::uint64_t key, std::uint64_t value) {
        EXPECT_EQ(value, key + 1);
        visits.add(key);
    }));
    EXPECT_TRUE(visits.are_all(1));
    auto const value_of = [](std::uint64_t, std::uint64_t value) { return value; };
    EXPECT_EQ(parallel_reduce(table, std::uint64_t{0}, value_of, std::plus<>()), count * (count + 1) / 2);
    ended = true;
    reader.join();
    EXPECT_THROW(parallel_for(table, [](std::uint64_t, std::uint64_t) { throw std::runtime_error("no"); }),
                 std::runtime_error);
    EXPECT_TRUE(table.update(7, 7)); // no region is held any more
    std::atomic<bool> const stop{true};
    EXPECT_FALSE(parallel_for(table, [](std::uint64_t, std::uint64_t) { FAIL(); }, {.stop = &stop}));
    table.clear();
    EXPECT_EQ(parallel_reduce(table, std::uint64_t{0}, value_of, std::plus<>()), 0U);
}

TEST_F(ForkTest, all_keys_of_a_set_are_visited_and_counted) {
    auto const runtime = start(2);
    ASSERT_TRUE(runtime.ok());
    auto set = Set<std::string>::create();
    ASSERT_TRUE(set.ok());
    for (int i = 0; i < 1000; ++i) ASSERT_TRUE(set.value().insert(std::to_string(i)));
    std::atomic<std::size_t> bytes{0};
    EXPECT_TRUE(parallel_for(set.value(), [&](std::string_view key) { bytes += key.size(); }));
    EXPECT_EQ(bytes, 10 + 90 * 2 + 900 * 3);
    auto const one = [](std::string_view) { return std::size_t{1}; };
    EXPECT_EQ(parallel_reduce(set.value(), std::size_t{0}, one, std::plus<>()), 1000U);
}

} // namespace
} // namespace mxk
