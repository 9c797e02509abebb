// The model checker itself: how many executions small programs have that are known from the literature, and what of
// them is allowed.
#include "tests/model/weak_memory.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

namespace mxk::test::litmus {
namespace {

enum class Order : std::uint8_t { Plain, Relaxed, Ordered };

std::array<int, 4> words; // only their addresses

WeakMemory::Access access(int const& word, Order order, std::source_location from = std::source_location::current()) {
    bool const is_ordered = order == Order::Ordered;
    return {.where = &word,
            .from = from,
            .acquires = is_ordered,
            .releases = is_ordered,
            .is_plain = order == Order::Plain,
            .constructs = order == Order::Plain};
}
std::uint64_t read(int word, Order order) {
    return WeakMemory::current().read(access(words[static_cast<std::size_t>(word)], order));
}
void write(int word, std::uint64_t value, Order order) {
    WeakMemory::current().write(access(words[static_cast<std::size_t>(word)], order), value);
}
std::uint64_t add(int word, Order order) {
    auto to = access(words[static_cast<std::size_t>(word)], order);
    to.is_update = true;
    return WeakMemory::current().update(to, [](std::uint64_t old) { return WeakMemory::Change{old + 1, true}; });
}
std::uint64_t cas(int word, std::uint64_t expected, std::uint64_t desired, Order order) {
    auto to = access(words[static_cast<std::size_t>(word)], order);
    to.is_update = true;
    return WeakMemory::current().update(to, [=](std::uint64_t old) {
        return WeakMemory::Change{desired, old == expected};
    });
}

// The results of all executions of what threads read: one number for each.
using Results = std::vector<std::uint64_t>;
struct Tried {
    std::set<Results> results;
    ModelExploration exploration;
};
template <typename... Threads> Tried all_of(Threads... threads) {
    Tried tried;
    Results results;
    ModelProgram program;
    program.begin = [&] {
        results.clear();
        results.resize(8);
        for (int word = 0; word < 4; ++word) write(word, 0, Order::Plain);
    };
    (program.threads.emplace_back([threads, &results] { threads(results); }), ...);
    program.end = [&] { tried.results.insert(results); };
    WeakMemory memory;
    tried.exploration = memory.explore(program, 1'000'000);
    EXPECT_TRUE(tried.exploration.is_complete || !tried.exploration.error.empty());
    return tried;
}

TEST(WeakMemory, StoresMayBeSeenLate) {
    auto const tried = all_of(
        [](Results& r) {
            write(0, 1, Order::Relaxed);
            r[0] = read(1, Order::Relaxed);
        },
        [](Results& r) {
            write(1, 1, Order::Relaxed);
            r[1] = read(0, Order::Relaxed);
        });
    EXPECT_EQ(tried.exploration.executions, 4U);
    EXPECT_TRUE(tried.results.contains({0, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(WeakMemory, MessagesNeedReleaseAndAcquire) {
    auto const passing = [](Order release, Order acquire) {
        return all_of(
            [=](Results&) {
                write(0, 1, Order::Relaxed);
                write(1, 1, release);
            },
            [=](Results& r) {
                r[0] = read(1, acquire);
                r[1] = read(0, Order::Relaxed);
            });
    };
    Results const broken{1, 0, 0, 0, 0, 0, 0, 0};
    EXPECT_EQ(passing(Order::Ordered, Order::Ordered).exploration.executions, 3U);
    EXPECT_FALSE(passing(Order::Ordered, Order::Ordered).results.contains(broken));
    EXPECT_EQ(passing(Order::Relaxed, Order::Ordered).exploration.executions, 4U);
    EXPECT_TRUE(passing(Order::Relaxed, Order::Ordered).results.contains(broken));
    EXPECT_TRUE(passing(Order::Ordered, Order::Relaxed).results.contains(broken));
}

TEST(WeakMemory, NothingIsReadThatFollowsFromIt) {
    auto const copy = [](int from, int to) {
        return [=](Results& r) {
            r[static_cast<std::size_t>(from)] = read(from, Order::Relaxed);
            write(to, 1, Order::Relaxed);
        };
    };
    auto const tried = all_of(copy(0, 1), copy(1, 0));
    EXPECT_EQ(tried.exploration.executions, 3U);
    EXPECT_EQ(tried.results.size(), 3U);
}

TEST(WeakMemory, WritesOfALocationHaveOneOrder) {
    auto const reader = [](std::size_t at) {
        return [=](Results& r) {
            r[at] = read(0, Order::Relaxed);
            r[at + 1] = read(0, Order::Relaxed);
        };
    };
    EXPECT_EQ(all_of([](Results&) { write(0, 1, Order::Relaxed); }, reader(0)).exploration.executions, 3U);
    auto const tried = all_of([](Results&) { write(0, 1, Order::Relaxed); },
                              [](Results&) { write(0, 2, Order::Relaxed); }, reader(0), reader(2));
    EXPECT_FALSE(tried.results.contains({1, 2, 2, 1, 0, 0, 0, 0}));
    EXPECT_TRUE(tried.results.contains({1, 2, 1, 2, 0, 0, 0, 0}));
    // Two locations: the orders need not agree with that of the threads.
    auto const two = [](int first, int second) {
        return [=](Results&) {
            write(first, 1, Order::Relaxed);
            write(second, 2, Order::Relaxed);
        };
    };
    EXPECT_EQ(all_of(two(0, 1), two(1, 0)).exploration.executions, 4U);
}

TEST(WeakMemory, ReadersMayDisagreeOnTwoLocations) {
    auto const reader = [](int first, int second) {
        return [=](Results& r) {
            r[static_cast<std::size_t>(2 * first)] = read(first, Order::Ordered);
            r[static_cast<std::size_t>(2 * first + 1)] = read(second, Order::Ordered);
        };
    };
    auto const tried = all_of([](Results&) { write(0, 1, Order::Ordered); },
                              [](Results&) { write(1, 1, Order::Ordered); }, reader(0, 1), reader(1, 0));
    EXPECT_EQ(tried.exploration.executions, 16U);
    EXPECT_EQ(tried.results.size(), 16U);
}

TEST(WeakMemory, UpdatesLoseNothing) {
    auto const adder = [](Results& r) { ++r[add(0, Order::Relaxed)]; };
    EXPECT_EQ(all_of(adder, adder).exploration.executions, 2U);
    EXPECT_EQ(all_of(adder, adder, adder).exploration.executions, 6U);
    auto const four = all_of(adder, adder, adder, adder);
    EXPECT_EQ(four.exploration.executions, 24U);
    EXPECT_EQ(four.results, (std::set<Results>{{1, 1, 1, 1, 0, 0, 0, 0}}));
    auto const twice = [](Results& r) {
        ++r[add(0, Order::Relaxed)];
        ++r[add(0, Order::Relaxed)];
    };
    EXPECT_EQ(all_of(twice, twice, twice).exploration.executions, 90U); // 6! / 2!^3
}

TEST(WeakMemory, OneOfTwoExchangesFindsWhatItExpects) {
    auto const exchanger = [](Results& r) { r[0] += cas(0, 0, 1, Order::Relaxed); };
    auto const tried = all_of(exchanger, exchanger, exchanger);
    EXPECT_EQ(tried.results, (std::set<Results>{{2, 0, 0, 0, 0, 0, 0, 0}}));
    EXPECT_EQ(tried.exploration.executions, 3U);
}

// An update belongs to the release sequence of what it has read; another store does not, not even of the same thread.
TEST(WeakMemory, ReleaseSequencesGoThroughUpdatesOnly) {
    auto const reader = [](Results&) {
        if (read(1, Order::Ordered) == 2) read(0, Order::Plain);
    };
    EXPECT_EQ(all_of(
                  [](Results&) {
                      write(0, 1, Order::Plain);
                      write(1, 1, Order::Ordered);
                  },
                  [](Results&) { cas(1, 1, 2, Order::Relaxed); }, reader)
                  .exploration.error,
              "");
    EXPECT_NE(all_of(
                  [](Results&) {
                      write(0, 1, Order::Plain);
                      write(1, 1, Order::Ordered);
                      write(1, 2, Order::Relaxed);
                  },
                  reader)
                  .exploration.error,
              "");
}

TEST(WeakMemory, RacesAndWaitingForEverAreErrors) {
    EXPECT_NE(all_of([](Results&) { write(0, 1, Order::Plain); }, [](Results&) { read(0, Order::Relaxed); })
                  .exploration.error.find("race"),
              std::string::npos);
    auto const wait_for = [](int word) {
        std::size_t turns = 0;
        while (read(word, Order::Ordered) == 0) WeakMemory::current().turn(turns++);
    };
    auto const waiter = [=](int word, int then) {
        return [=](Results&) {
            wait_for(word);
            write(then, 1, Order::Ordered);
        };
    };
    EXPECT_EQ(all_of(waiter(0, 1), waiter(1, 0)).exploration.error, "all that are left wait for ever");
    auto const handed_on = all_of(waiter(0, 1), waiter(1, 2), [](Results&) { write(0, 1, Order::Ordered); });
    EXPECT_EQ(handed_on.exploration.error, "");
    EXPECT_EQ(handed_on.exploration.executions - handed_on.exploration.stopped, 1U);
}

} // namespace
} // namespace mxk::test::litmus
