// The concurrent table of pairs on a machine of four cores: random operations of all of them against what each knows of
// its own keys, and short runs on few keys that must be linearizable, while the table grows and shrinks.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "bench/workload/keys.hpp"
#include "bench/workload/random.hpp"
#include "hashtable/shared/concurrent/concurrent_pairs.hpp"
#include "tasks/parallel.hpp"
#include "tasks/rcu_wait.hpp"
#include "tests/delays.hpp"
#include "tests/unit/linearizable_fixture.hpp"
#include "tests/unit/long_tests.hpp"

namespace mxk::test {
namespace {

ConcurrentPairs::Parts parts(concurrent::TableShape const& shape) {
    std::array<NodeId, 2> const nodes{node_id(0), node_id(1)};
    std::vector<Owner> owners;
    for (std::size_t i = 0; i < workers::count(); ++i) owners.push_back({core_id(i), workers::of(core_id(i)).node()});
    auto result = ConcurrentPairs::make(shape, nodes, owners, 16);
    EXPECT_TRUE(result.ok());
    return std::move(result.value());
}

NodeVector<CoreId> cores_of_machine() {
    auto ids = NodeVector<CoreId>::create(workers::count(), node_id(0));
    EXPECT_TRUE(ids.ok());
    for (std::size_t i = 0; i < workers::count(); ++i) ids.value().emplace(core_id(i));
    return std::move(ids).value();
}

// In place, where the operation is; and now and then on another core.
class InPlace final : public Way {
  public:
    explicit InPlace(ConcurrentPairs& table)
        : table_(table) {}

    void send(Worker& worker, TravellingOperation& operation) override {
        operation.way = this;
        operation.body = [](Worker& there, Task& task) {
            auto& arrived = static_cast<TravellingOperation&>(task);
            RandomPause::point();
            arrived.perform(static_cast<InPlace*>(arrived.way)->table_);
            RandomPause::point();
            arrived.go_home(there);
        };
        RandomPause::point();
        worker.append(operation, core_id(operation.event.value % workers::count()));
    }

  private:
    ConcurrentPairs& table_;
};

class ConcurrentPairsTest : public LinearizableRuns {};

TEST_F(ConcurrentPairsTest, is_linearizable_while_it_is_resized) {
    with_runtime([](Worker& here) {
        constexpr std::uint64_t runs = 20;
        bench::KeySequence const sequence(1);
        InjectDelays const delays;
        std::uint64_t resizes = 0;
        std::atomic<std::uint64_t> next_other{0};
        expect_linearizable(runs, [&](std::uint64_t number) {
            ConcurrentPairs table(parts({.first_heads = 8, .max_load = 0.5, .min_order = 3}));
            InPlace way(table);
            std::vector<std::uint64_t> keys;
            for (std::uint64_t i = 0; i <= number % 6; ++i) keys.push_back(sequence(number * 6 + i));
            // Other keys come and go in waves, and the heads with them.
            RecordedRun run(here, way, {.keys = keys, .seed = number, .operations_per_call = 2},
                            [&](Worker&, TaskGroup&) {
                                constexpr std::uint64_t wave = 400;
                                constexpr std::uint64_t step = 40;
                                std::uint64_t const from = next_other.fetch_add(step);
                                for (std::uint64_t other = from; other < from + step; ++other) {
                                    std::uint64_t const key = sequence(1'000'000 + other % wave);
                                    if (other / wave % 2 == 0)
                                        table.insert(key, other);
                                    else
                                        table.erase(key);
                                }
                            });
            table.settle();
            resizes += table.resizes();
            return run.history();
        });
        EXPECT_GT(resizes, runs) << "it was resized while keys were worked on";
    });
}

// Keys of its own for each core, among those of all others in the same chains.
TEST_F(ConcurrentPairsTest, random_operations_are_those_of_a_map) {
    with_runtime([](Worker&) {
        ConcurrentPairs table(parts({.first_heads = 8, .min_order = 3}));
        std::size_t const operations_each = operations(250'000, 25'000'000);
        struct User {
            std::unordered_map<std::uint64_t, std::uint64_t> expected;
            bench::Random random{1};
            std::size_t done = 0;
            std::size_t range = 64; // of its keys: changes, so that the table grows and shrinks
        };
        std::vector<User> users(workers::count());
        for (std::size_t i = 0; i < users.size(); ++i) users[i].random = bench::Random(i + 1);
        std::optional<InjectDelays> delays;
        auto const operate = [&](User& user, std::size_t place) {
            std::uint64_t const noise = user.random.next();
            if (noise % 4096 == 0) user.range = std::size_t{16} << (noise >> 16) % 9;
            std::uint64_t const key = place + users.size() * ((noise >> 32) % user.range);
            auto const it = user.expected.find(key);
            bool const is_there = it != user.expected.end();
            std::uint64_t const value = noise | 1;
            switch ((noise >> 24) % 6) {
            case 0:
                ASSERT_EQ(table.insert(key, value), is_there ? Insert::Present : Insert::Inserted);
                if (!is_there) user.expected.emplace(key, value);
                break;
            case 1:
                ASSERT_EQ(table.erase(key), is_there);
                user.expected.erase(key);
                break;
            case 2:
                ASSERT_EQ(table.upsert(key, value), is_there ? Insert::Present : Insert::Inserted);
                user.expected[key] = value;
                break;
            case 3:
                ASSERT_EQ(table.update(key, value), is_there);
                if (is_there) it->second = value;
                break;
            case 4: {
                auto const before = table.modify(key, [](std::uint64_t old) { return old + 2; });
                ASSERT_EQ(before, is_there ? std::optional(it->second) : std::nullopt);
                if (is_there) it->second += 2;
                break;
            }
            default:
                if (noise % 4096 < 8) { // those beyond its range go, too
                    std::erase_if(user.expected, [&](auto const& pair) {
                        bool const goes = pair.first >= users.size() * user.range;
                        if (goes) EXPECT_TRUE(table.erase(pair.first));
                        return goes;
                    });
                }
                ASSERT_EQ(table.find(key),
                          user.expected.contains(key) ? std::optional(user.expected[key]) : std::nullopt);
            }
        };
        bool const ran = run_on(cores_of_machine().span(), [&](Worker&, std::size_t place) {
            for (int time = 0; time < 50; ++time) {
                operate(users[place], place);
                if (HasFatalFailure() || ++users[place].done == operations_each) return Step::Done;
            }
            return Step::Again;
        });
        ASSERT_TRUE(ran);
        table.settle();
        std::size_t expected = 0;
        for (User const& user : users) expected += user.expected.size();
        EXPECT_EQ(table.size(), expected);
        std::size_t visited = 0;
        table.for_each([&](std::uint64_t key, std::uint64_t value) {
            ++visited;
            auto const& its = users[key % users.size()].expected;
            EXPECT_TRUE(its.contains(key) && its.at(key) == value);
        });
        EXPECT_EQ(visited, expected);
        EXPECT_GE(table.resizes(), 4U);
    });
}

// What one core inserts, another erases, and the memory of that goes back to the first.
TEST_F(ConcurrentPairsTest, memory_does_not_grow_where_one_core_inserts_and_another_erases) {
    with_runtime([](Worker&) {
        struct Pairing {
            CoreId inserts;
            CoreId erases;
        };
        for (auto const& [inserts, erases] : {Pairing{core_id(1), core_id(0)}, Pairing{core_id(3), core_id(1)}}) {
            ConcurrentPairs table(parts({.first_heads = 1024, .min_order = 10})); // which remain
            auto const on = [](CoreId core, auto operate) {
                EXPECT_TRUE(run_on(std::span(&core, 1), [&](Worker&, std::size_t) {
                    for (std::uint64_t key = 0; key < 2000; ++key) operate(key);
                    return Step::Done;
                }));
            };
            std::size_t after_first = 0;
            for (int round = 0; round < 40; ++round) {
                on(inserts, [&](std::uint64_t key) { ASSERT_EQ(table.insert(key, 1), Insert::Inserted); });
                on(erases, [&](std::uint64_t key) { ASSERT_TRUE(table.erase(key)); });
                ASSERT_TRUE(rcu::barrier().ok());
                if (round == 0) after_first = table.bytes();
            }
            EXPECT_EQ(table.bytes(), after_first);
        }
    });
}

} // namespace
} // namespace mxk::test
