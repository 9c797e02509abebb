// Coroutines that fork (tasks/fork/forked.hpp): on all cores, deep, with failures, in loops and groups.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "main/library/parallel.hpp"
#include "tests/delays.hpp"
#include "tests/fibonacci.hpp"

namespace mxk {
namespace {

// A tree whose number of children depends on the place; joined at its end.
Forked<> count_tree(std::atomic<std::uint64_t>& count, unsigned depth, unsigned place) {
    count.fetch_add(1, std::memory_order_relaxed);
    if (depth == 0) co_return;
    for (unsigned i = 0; i < place % 4; ++i) co_await fork(count_tree(count, depth - 1, place + i));
}
std::uint64_t tree_size(unsigned depth, unsigned place) {
    std::uint64_t size = 1;
    for (unsigned i = 0; depth != 0 && i < place % 4; ++i) size += tree_size(depth - 1, place + i);
    return size;
}

Forked<std::uint64_t> depth_of(std::uint64_t depth) {
    if (depth == 0) co_return 0;
    std::uint64_t below = 0;
    if (depth % 2 == 0) {
        co_await fork(below, depth_of(depth - 1));
        co_await join();
    } else {
        below = co_await depth_of(depth - 1);
    }
    co_return below + 1;
}

class ForkedTest : public testing::Test {
  protected:
    static Result<Runtime> start(std::uint32_t cores, std::uint64_t memory = 256 * MiB) {
        return Runtime::start(
            {.cores = cores, .nodes = std::min(cores, 2U), .memory_bytes = memory, .own_threads = true});
    }
};

TEST_F(ForkedTest, recursion_on_all_cores) {
    InjectDelays const delays;
    for (std::uint32_t const cores : {1U, 2U, 4U}) {
        auto runtime = start(cores);
        ASSERT_TRUE(runtime.ok());
        for (int round = 0; round < 3; ++round) {
            auto const result = run_forked([] { return fibonacci_of(16); });
            ASSERT_TRUE(result.ok());
            EXPECT_EQ(result.value(), 987U);
        }
    }
}

TEST_F(ForkedTest, trees_joined_at_their_end) {
    InjectDelays const delays;
    auto runtime = start(4);
    ASSERT_TRUE(runtime.ok());
    for (unsigned place = 0; place < 8; ++place) {
        std::atomic<std::uint64_t> count{0};
        ASSERT_TRUE(run_forked([&] { return count_tree(count, 7, place); }).ok());
        EXPECT_EQ(count.load(), tree_size(7, place));
    }
}

TEST_F(ForkedTest, no_depth_is_too_deep) {
    auto runtime = start(2);
    ASSERT_TRUE(runtime.ok());
    auto const result = run_forked([] { return depth_of(100'000); });
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result.value(), 100'000U);
}

TEST_F(ForkedTest, without_memory_it_says_so_and_goes_on_later) {
    auto runtime = start(2, 32 * MiB);
    ASSERT_TRUE(runtime.ok());
    struct Counted {
        explicit Counted(std::atomic<int>& its_count)
            : count(its_count) {
            ++count;
        }
        Counted(Counted const&) = delete;
        Counted& operator=(Counted const&) = delete;
        ~Counted() { --count; }
        std::atomic<int>& count;
    };
    struct Recursion {
        static Forked<int> go(std::atomic<int>& count, std::uint64_t depth) {
            Counted const counted(count);
            if (depth == 0) co_return 1;
            int result = 0;
            int other = 0;
            co_await fork(other, go(count, 0));
            co_await fork(result, go(count, depth - 1));
            co_await join();
            co_return result + other;
        }
    };
    for (int round = 0; round < 3; ++round) {
        std::atomic<int> count{0};
        auto const failed = run_forked([&] { return Recursion::go(count, 10'000'000); });
        ASSERT_FALSE(failed.ok());
        EXPECT_NE(std::string(failed.error().message()).find("out of memory"), std::string::npos);
        EXPECT_EQ(count.load(), 0); // each has been destroyed
        auto const result = run_forked([&] { return Recursion::go(count, 1'000); });
        ASSERT_TRUE(result.ok()) << round << ": " << result.error().message();
        EXPECT_EQ(result.value(), 1'001);
    }
}

TEST_F(ForkedTest, what_is_thrown_comes_to_the_caller_behind_the_join) {
    InjectDelays const delays;
    auto runtime = start(3);
    ASSERT_TRUE(runtime.ok());
    struct Bodies {
        static Forked<int> fail(unsigned depth) {
            if (depth == 0) throw std::runtime_error("deep");
            int result = 0;
            co_await fork(result, fail(depth - 1));
            std::uint64_t const other = co_await fibonacci_of(8);
            co_await join();
            co_return result + static_cast<int>(other);
        }
        // Of two forks and a call one throws: before it is seen here, the others have ended.
        static Forked<int> catching(unsigned which, std::atomic<int>& running) {
            int first = 0;
            int second = 0;
            bool is_caught = false;
            try {
                co_await fork(first, part(which == 0, running));
                co_await fork(second, part(which == 1, running));
                co_await part(which == 2, running);
                co_await join();
            } catch (std::runtime_error const&) {
                is_caught = running.load() == 0;
            }
            co_await fork(first, part(false, running)); // as if nothing had been
            co_await join();
            co_return is_caught ? first : -1;
        }
        static Forked<int> part(bool throws, std::atomic<int>& running) {
            ++running;
            std::uint64_t const some = co_await fibonacci_of(9);
            --running;
            if (throws) throw std::runtime_error("a part");
            co_return static_cast<int>(some);
        }
    };
    for (int round = 0; round < 20; ++round) {
        EXPECT_THROW(static_cast<void>(run_forked([] { return Bodies::fail(20); })), std::runtime_error);
        for (unsigned which = 0; which < 3; ++which) {
            std::atomic<int> running{0};
            auto const result = run_forked([&] { return Bodies::catching(which, running); });
            ASSERT_TRUE(result.ok());
            EXPECT_EQ(result.value(), 34);
        }
    }
}

// A coroutine fails behind its co_return, by what it has forked: its caller has that at the call, and no value.
TEST_F(ForkedTest, a_call_fails_by_what_it_has_forked) {
    InjectDelays const delays;
    auto runtime = start(2);
    ASSERT_TRUE(runtime.ok());
    struct Bodies {
        static Forked<int> fail(bool fails) {
            if (fails) throw std::runtime_error("forked");
            co_return 1;
        }
        static Forked<int> child() {
            int result = 0;
            co_await fork(result, fail(true));
            co_return 5;
        }
        static Forked<int> caller() {
            int value = -1;
            try {
                value = co_await child();
            } catch (std::runtime_error const&) {
                value = 7;
            }
            int const other = co_await fail(false); // nothing is left of it
            co_return value + other;
        }
    };
    for (int round = 0; round < 50; ++round) EXPECT_EQ(run_forked([] { return Bodies::caller(); }).value(), 8);
}

// A child does not end before its parent has gone on elsewhere, at each depth: each continuation is stolen, each join
// waits, and each stack has another owner behind it.
TEST_F(ForkedTest, continuations_are_stolen_while_children_run) {
    InjectDelays const delays;
    auto runtime = start(3);
    ASSERT_TRUE(runtime.ok());
    struct Bodies {
        static Forked<std::thread::id> child(std::atomic<int>& begun) {
            ++begun;
            while (begun.load() < 2) std::this_thread::yield();
            co_return std::this_thread::get_id();
        }
        static Forked<unsigned> parent(unsigned depth) {
            std::atomic<int> begun{0};
            std::thread::id other{};
            co_await fork(other, child(begun));
            std::thread::id const own = std::this_thread::get_id();
            ++begun;
            unsigned below = 0;
            if (depth != 0) below = co_await parent(depth - 1);
            co_await join();
            co_return below + (other != own ? 1 : 0);
        }
    };
    for (int round = 0; round < 20; ++round) EXPECT_EQ(run_forked([] { return Bodies::parent(9); }).value(), 10U);
}

TEST_F(ForkedTest, what_comes_behind_a_failure_does_not_begin) {
    auto runtime = start(1);
    ASSERT_TRUE(runtime.ok());
    struct Bodies {
        static Forked<> mark(int& marks, bool throws) {
            ++marks;
            if (throws) throw std::runtime_error("marked");
            co_return;
        }
        static Forked<> all(int& marks) {
            for (int i = 0; i < 5; ++i) co_await fork(mark(marks, i == 1));
        }
    };
    int marks = 0;
    EXPECT_THROW(static_cast<void>(run_forked([&] { return Bodies::all(marks); })), std::runtime_error);
    EXPECT_EQ(marks, 2);
}

TEST_F(ForkedTest, results_that_only_move_and_coroutines_that_are_dropped) {
    auto runtime = start(2);
    ASSERT_TRUE(runtime.ok());
    struct Bodies {
        static Forked<std::unique_ptr<int>> make(int value) { co_return std::make_unique<int>(value); }
        static Forked<std::string> both() {
            std::unique_ptr<int> first;
            co_await fork(first, make(1));
            auto const second = co_await make(2);
            { auto const dropped = make(3); }
            {
                std::unique_ptr<int> unused;
                auto const never_awaited = fork(unused, make(4));
            }
            co_await join();
            co_return std::to_string(*first) + std::to_string(*second);
        }
    };
    auto const result = run_forked([] { return Bodies::both(); });
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result.value(), "12");
}

// Coroutines in a loop's bodies, loops and groups in coroutines' bodies, and one within the other.
TEST_F(ForkedTest, beside_loops_and_groups) {
    InjectDelays const delays;
    auto runtime = start(4);
    ASSERT_TRUE(runtime.ok());
    struct Bodies {
        static Forked<std::uint64_t> mixed(unsigned depth) {
            if (depth == 0) {
                std::uint64_t const sum = parallel_reduce(0, 50, std::uint64_t{0}, [](std::uint64_t i) { return i; },
                                                          std::plus<>(), {.grain = 1});
                auto const inner = run_forked([] { return fibonacci_of(7); });
                co_return sum + inner.value();
            }
            std::uint64_t first = 0;
            co_await fork(first, mixed(depth - 1));
            std::uint64_t const second = co_await mixed(depth - 1);
            std::atomic<std::uint64_t> ran{0};
            {
                ForkGroup group;
                for (int i = 0; i < 3; ++i) group.run([&ran] { ++ran; });
                group.wait();
            }
            co_await join();
            co_return first + second + ran.load() - 3;
        }
    };
    for (int round = 0; round < 5; ++round) {
        std::atomic<std::uint64_t> sum{0};
        parallel_for(0, 6, [&](std::uint64_t) { sum += run_forked([] { return Bodies::mixed(4); }).value(); },
                     {.grain = 1});
        EXPECT_EQ(sum.load(), 6U * 16U * (1225U + 13U));
    }
}

TEST_F(ForkedTest, from_several_threads) {
    auto runtime = start(3);
    ASSERT_TRUE(runtime.ok());
    std::atomic<int> right{0};
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < 4; ++i)
        threads.emplace_back([&right, i] {
            for (int round = 0; round < 20; ++round)
                if (run_forked([i] { return fibonacci_of(8 + i); }).value() == std::array{21U, 34U, 55U, 89U}.at(i))
                    ++right;
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(right.load(), 80);
}

TEST_F(ForkedTest, without_cores_it_says_so) {
    auto const result = run_forked([] { return fibonacci_of(3); });
    ASSERT_FALSE(result.ok());
    EXPECT_NE(std::string(result.error().message()).find("expected cores"), std::string::npos);
    EXPECT_EQ(fibonacci_of(3).release(), nullptr); // outside of run_forked(): empty
}

} // namespace
} // namespace mxk
