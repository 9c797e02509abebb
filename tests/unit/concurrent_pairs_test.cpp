// The concurrent table of pairs on a machine of four cores: random operations of all of them against what each knows of
// its own keys, and short runs on few keys that must be linearizable, while the table grows and shrinks.
#include <gtest/gtest.h>

#include <algorithm>
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
#include "tasks/rcu/rcu_wait.hpp"
#include "tasks/run_on.hpp"
#include "tests/delays.hpp"
#include "tests/unit/linearizable_fixture.hpp"
#include "tests/unit/long_tests.hpp"
#include "tests/unit/random_pause.hpp"

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

std::size_t bytes_in_use() {
    std::size_t used = 0;
    for (std::size_t i = 0; i < memory::node_count(); ++i) used += memory::use(node_id(i)).used;
    return used;
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
            arrived.return_to_client(there);
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
            ConcurrentPairs table(parts({.first_heads = 8, .max_load = 0.5}));
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

// A core's operations on keys of its own, among those of all others in the same chains. Their range is wide and narrow
// by turns, at the same time for all, so that the table grows and shrinks.
class PairsUser {
  public:
    PairsUser(ConcurrentPairs& table, std::size_t place, std::size_t users)
        : table_(table)
        , place_(place)
        , users_(users)
        , random_(place + 1) {}

    void operate(bool is_wide) {
        if (is_wide_ && !is_wide) leave_those_beyond();
        is_wide_ = is_wide;
        std::uint64_t const noise = random_.next();
        std::uint64_t const key = key_at((noise >> 32) % (is_wide ? wide : narrow));
        auto const it = expected_.find(key);
        bool const is_there = it != expected_.end();
        auto const now = is_there ? std::optional(it->second) : std::nullopt;
        std::uint64_t const value = noise | 1;
        switch ((noise >> 24) % 6) {
        case 0:
            expect_that(table_.insert(key, value) == (is_there ? Insert::Present : Insert::Inserted));
            expected_.try_emplace(key, value);
            return;
        case 1:
            expect_that(table_.erase(key) == is_there);
            expected_.erase(key);
            return;
        case 2:
            expect_that(table_.upsert(key, value) == (is_there ? Insert::Present : Insert::Inserted));
            expected_[key] = value;
            return;
        case 3:
            expect_that(table_.update(key, value) == is_there);
            if (is_there) it->second = value;
            return;
        case 4:
            expect_that(table_.modify(key, [](std::uint64_t old) { return old + 2; }) == now);
            if (is_there) it->second += 2;
            return;
        default: expect_that(table_.find(key) == now);
        }
    }
    [[nodiscard]] auto const& expected() const { return expected_; }
    [[nodiscard]] std::size_t wrong() const { return wrong_; }
    std::size_t done = 0;

  private:
    static constexpr std::uint64_t wide = 2048;
    static constexpr std::uint64_t narrow = 16;

    void expect_that(bool holds) { wrong_ += holds ? 0 : 1; }
    [[nodiscard]] std::uint64_t key_at(std::uint64_t number) const { return place_ + users_ * number; }
    void leave_those_beyond() {
        std::erase_if(expected_, [&](auto const& pair) {
            bool const goes = pair.first >= key_at(narrow);
            if (goes) expect_that(table_.erase(pair.first));
            return goes;
        });
    }

    ConcurrentPairs& table_;
    std::size_t place_;
    std::size_t users_;
    bench::Random random_;
    std::unordered_map<std::uint64_t, std::uint64_t> expected_;
    bool is_wide_ = false;
    std::size_t wrong_ = 0;
};

TEST_F(ConcurrentPairsTest, random_operations_are_those_of_a_map) {
    with_runtime([](Worker&) {
        ConcurrentPairs table(parts({.first_heads = 8}));
        std::size_t const operations_each = operations(250'000, 25'000'000);
        std::size_t const wave = operations(50'000, 100'000); // of each
        std::vector<PairsUser> users;
        for (std::size_t i = 0; i < workers::count(); ++i) users.emplace_back(table, i, workers::count());
        auto const run = [&](std::size_t until_each, bool is_wide) {
            EXPECT_TRUE(run_on(cores_of_machine().span(), [&](Worker&, std::size_t place) {
                PairsUser& user = users[place];
                for (int time = 0; time < 50 && user.done < until_each; ++time, ++user.done) user.operate(is_wide);
                return user.done == until_each ? Step::Done : Step::Again;
            }));
        };
        std::uint64_t resizes_meanwhile = 0;
        for (std::size_t until = wave; until <= operations_each; until += wave) {
            std::uint64_t const before = table.resizes();
            bool const is_wide = until / wave % 2 != 0;
            {
                InjectDelays const delays(&RandomPause::point); // for a part of it
                run(until - wave + wave / 25, is_wide);
            }
            run(until, is_wide);
            resizes_meanwhile += table.resizes() - before;
            table.settle(); // where cores share processors, it may not have come that far
        }
        // From some dozen pairs to some thousands, or back, are no less than five doublings or halvings.
        EXPECT_GE(table.resizes(), 5 * operations_each / wave);
        EXPECT_GT(resizes_meanwhile, 0U);
        std::size_t expected = 0;
        for (PairsUser const& user : users) {
            expected += user.expected().size();
            EXPECT_EQ(user.wrong(), 0U);
        }
        EXPECT_EQ(table.size(), expected);
        std::size_t visited = 0;
        table.for_each([&](std::uint64_t key, std::uint64_t value) {
            ++visited;
            auto const& its = users[key % users.size()].expected();
            EXPECT_TRUE(its.contains(key) && its.at(key) == value);
        });
        EXPECT_EQ(visited, expected);
    });
}

// Keys come and go while the table is walked and resized: a walk visits none twice, and those that stay once.
TEST_F(ConcurrentPairsTest, a_walk_visits_no_key_twice) {
    with_runtime([](Worker&) {
        constexpr std::uint64_t staying = 100; // of them, the first ones
        constexpr std::uint64_t keys = 2000;
        ConcurrentPairs table(parts({.first_heads = 8}));
        for (std::uint64_t key = 0; key < staying; ++key) ASSERT_EQ(table.insert(key, key), Insert::Inserted);
        std::size_t const walks = operations(20, 4'000);
        std::uint64_t const resizes = operations(4, 600);
        InjectDelays const delays(&RandomPause::point);
        std::atomic<bool> is_over{false};
        std::size_t walks_done = 0;
        std::vector<std::uint8_t> visits(keys);
        std::uint64_t from = 0;
        auto const walk_on = [&] {
            from = table.visit_from(from, [&](std::uint64_t key, std::uint64_t) { ++visits[key]; });
            if (from != 0) return;
            for (std::uint64_t key = 0; key < keys; ++key)
                ASSERT_TRUE(key < staying ? visits[key] == 1 : visits[key] <= 1) << key;
            std::fill(visits.begin(), visits.end(), 0);
            ++walks_done;
        };
        std::atomic<bool> grows{true};
        auto const come_and_go = [&](std::uint64_t noise) {
            std::uint64_t const key = staying + (noise >> 8) % (keys - staying);
            table.erase(key);
            bool const goes = !grows.load() && noise % 2 == 0; // else it comes, or is back
            if (!goes) table.insert(key, noise);
            if (table.size() > keys / 2) grows.store(false);
            if (table.size() < 2 * staying) grows.store(true);
        };
        std::vector<bench::Random> randoms;
        for (std::size_t i = 0; i < workers::count(); ++i) randoms.emplace_back(i + 1);
        EXPECT_TRUE(run_on(cores_of_machine().span(), [&](Worker&, std::size_t place) {
            for (int time = 0; time < 4; ++time) {
                if (place != 0)
                    come_and_go(randoms[place].next());
                else
                    walk_on();
            }
            if (HasFatalFailure() || (place == 0 && walks_done >= walks && table.resizes() >= resizes))
                is_over.store(true);
            return is_over.load() ? Step::Done : Step::Again;
        }));
    });
}

// Heads, pairs and batches, those of blocks that were replaced among them.
TEST_F(ConcurrentPairsTest, all_memory_comes_back) {
    with_runtime([](Worker&) {
        // Now and then a core needs more memory for tasks, and keeps it; what a table keeps, it keeps in each round.
        std::array<std::size_t, 6> used{};
        for (std::size_t& used_then : used) {
            {
                ConcurrentPairs table(parts({.first_heads = 8}));
                for (bool const inserts : {true, false}) {
                    std::atomic<std::uint64_t> next{0};
                    EXPECT_TRUE(run_on(cores_of_machine().span(), [&](Worker&, std::size_t) {
                        std::uint64_t const key = next.fetch_add(1);
                        if (key >= 10'000) return Step::Done;
                        EXPECT_TRUE(inserts ? table.insert(key, key) == Insert::Inserted : table.erase(key));
                        return Step::Again;
                    }));
                }
                EXPECT_EQ(table.size(), 0U);
            }
            ASSERT_TRUE(rcu::barrier().ok());
            used_then = bytes_in_use();
        }
        EXPECT_NE(std::adjacent_find(used.begin(), used.end()), used.end());
    });
}

// Each core has inserted only some.
TEST_F(ConcurrentPairsTest, a_small_table_grows_with_what_few_pairs_of_each_core_make_together) {
    with_runtime([](Worker&) {
        ConcurrentPairs table(parts({.first_heads = 8}));
        for (std::uint64_t each = 4; each <= 64; each *= 2) {
            EXPECT_TRUE(run_on(cores_of_machine().span(), [&](Worker&, std::size_t place) {
                for (std::uint64_t key = 0; key < each; ++key) table.insert(place * 1000 + key, key);
                return Step::Done;
            }));
            table.settle();
            EXPECT_LE(table.size(), 2 * table.head_count()) << each << " of each core";
        }
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
            ConcurrentPairs table(parts({.first_heads = 1024})); // which remain
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
