// When batches leave, what becomes of results, what is bounded, and what a slow owner does to others.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <vector>

#include "base/spin_wait.hpp"
#include "hashtable/batch/batch_client.hpp"
#include "main/library/runtime.hpp"
#include "tasks/run_on.hpp"
#include "tests/unit/batched_regions.hpp"
#include "tests/unit/hold_up.hpp"
#include "tests/unit/memory_fixture.hpp"

namespace mxk::test {
namespace {

using Regions = MapRegions;
using Completed = std::function<void(Worker&, Batch const&)>;
using Client = BatchClient<Regions, Completed, NoCookie, BatchPace>;

class BatchedTest : public testing::Test {
  protected:
    // A table with these owners, and a client on core 0, with which the body works.
    template <typename Body>
    static void with_client(std::vector<CoreId> const& owners, std::size_t spare, Completed completed, Body body) {
        with_client(owners, {.spare = spare}, std::move(completed), body);
    }
    struct Shape {
        std::size_t spare = 4;
        std::size_t reserve = 0;
        Nanoseconds max_latency{}; // 0: no cap
    };
    template <typename Body>
    static void with_client(std::vector<CoreId> const& owners, Shape const& shape, Completed completed, Body body) {
        auto runtime = Runtime::start({.cores = 4, .nodes = 2, .memory_bytes = 64 * MiB});
        ASSERT_TRUE(runtime.ok()) << runtime.error().message();
        runtime.value().run([&](Worker& worker) {
            Regions regions(owners, &NoDelay::point, 1000);
            auto batched = Batched<Regions>::create(regions);
            ASSERT_TRUE(batched.ok());
            auto memory = Client::Memory::create_paced(batched.value(), worker.node(),
                                                       clock::to_cycles(shape.max_latency), shape.spare, shape.reserve);
            ASSERT_TRUE(memory.ok());
            Client client(worker, batched.value(), std::move(memory).value(), std::move(completed));
            body(worker, client, regions);
            worker.run_until([&] { return client.at_rest(); });
        });
    }
};
using BatchedDeathTest = BatchedTest;

// Keeps its core from ever being idle, and counts.
struct Restless : Task {
    Restless()
        : Task([](Worker& worker, Task& task) {
            auto& self = static_cast<Restless&>(task);
            ++self.turns;
            if (!self.ends) worker.append(self);
            self.has_ended = self.ends;
        }) {}
    std::size_t turns = 0;
    bool ends = false;
    bool has_ended = false;
};

TEST_F(BatchedTest, a_single_operation_leaves_when_the_core_is_idle) {
    for (std::size_t const owner : {0U, 1U}) { // at home, and elsewhere
        std::size_t completed = 0;
        with_client(
            {core_id(owner)}, 4,
            [&](Worker& worker, Batch const& batch) {
                EXPECT_EQ(worker.core(), core_id(0));
                ASSERT_EQ(batch.size(), 1U);
                EXPECT_EQ(batch.key(0), 7U + completed);
                EXPECT_EQ(batch.value(0), 8U);
                EXPECT_EQ(batch.result(0), TableResult::Yes);
                ++completed;
            },
            [&](Worker& worker, Client& client, Regions&) {
                for (std::size_t round = 1; round <= 20; ++round) {
                    ASSERT_TRUE(client.insert(6 + round, 8));
                    EXPECT_EQ(completed, round - 1); // never from within
                    worker.run_until([&] { return completed == round; });
                }
            });
    }
}

TEST_F(BatchedTest, a_full_batch_leaves_at_once_and_others_when_the_core_was_busy_for_long) {
    std::size_t full = 0;
    std::size_t single = 0;
    with_client(
        {core_id(0), core_id(0)}, 4, [&](Worker&, Batch const& batch) { ++(batch.size() == 1 ? single : full); },
        [&](Worker& worker, Client& client, Regions&) {
            Restless restless;
            worker.append(restless);
            // So that the next wait for idleness begins now.
            ASSERT_TRUE(client.insert(1, 1));
            worker.run_until([&] { return single == 1; });

            restless.turns = 0;
            ASSERT_TRUE(client.insert(3, 3));
            for (std::uint64_t i = 0; i < Batch::capacity; ++i) ASSERT_TRUE(client.insert(10 + 2 * i, 0));
            worker.run_until([&] { return full == 1; });
            EXPECT_LT(restless.turns, 50U);
            EXPECT_EQ(single, 1U);
            worker.run_until([&] { return single == 2; });
            EXPECT_LE(restless.turns, Worker::max_wait + 50);
            restless.ends = true;
            worker.run_until([&] { return restless.has_ended; });
        });
}

TEST_F(BatchedTest, results_come_in_the_order_of_submission) {
    std::vector<std::uint64_t> keys;
    std::vector<TableResult> results;
    std::vector<std::uint64_t> found;
    with_client(
        {core_id(2)}, 4,
        [&](Worker&, Batch const& batch) {
            EXPECT_EQ(batch.all_yes(), false);
            for (std::size_t i = 0; i < batch.size(); ++i) {
                keys.push_back(batch.key(i));
                results.push_back(batch.result(i));
                if (batch.operation(i) == Operation::Find && batch.result(i) == TableResult::Yes)
                    found.push_back(batch.value(i));
            }
        },
        [&](Worker& worker, Client& client, Regions&) {
            EXPECT_TRUE(client.find(5) && client.insert(5, 50) && client.insert(5, 51) && client.find(5) &&
                        client.insert(6, 60) && client.erase(5) && client.erase(5) && client.find(5) &&
                        client.insert(5, 52) && client.find(5));
            client.flush();
            worker.run_until([&] { return client.at_rest(); });
        });
    using enum TableResult;
    EXPECT_EQ(keys, (std::vector<std::uint64_t>{5, 5, 5, 5, 6, 5, 5, 5, 5, 5}));
    EXPECT_EQ(results, (std::vector{No, Yes, No, Yes, Yes, Yes, No, No, Yes, Yes}));
    EXPECT_EQ(found, (std::vector<std::uint64_t>{50, 52}));
}

TEST_F(BatchedTest, a_full_table_says_so_and_goes_on) {
    std::map<TableResult, std::size_t> results;
    with_client(
        {core_id(1)}, 8,
        [&](Worker&, Batch const& batch) {
            for (std::size_t i = 0; i < batch.size(); ++i) {
                ++results[batch.result(i)];
                // The map has room for 1000 keys.
                EXPECT_EQ(batch.result(i), batch.operation(i) == Operation::Find ? TableResult::Yes
                                           : batch.key(i) < 1000                 ? TableResult::Yes
                                                                                 : TableResult::Full);
            }
        },
        [&](Worker& worker, Client& client, Regions&) {
            for (std::uint64_t key = 0; key < 1100; ++key) {
                while (!client.insert(key, key)) worker.run_until([&] { return client.at_rest(); });
            }
            while (!client.find(999)) worker.run_until([&] { return client.at_rest(); });
            client.flush();
            worker.run_until([&] { return client.at_rest(); });
        });
    EXPECT_EQ(results[TableResult::Yes], 1001U);
    EXPECT_EQ(results[TableResult::Full], 100U);
}

TEST_F(BatchedTest, a_slow_owner_holds_a_bounded_number_of_operations_and_delays_no_other) {
    constexpr std::size_t spare = 8;
    std::map<std::uint64_t, std::size_t> completed; // by region
    with_client(
        {core_id(1), core_id(2)}, spare,
        [&](Worker&, Batch const& batch) {
            completed[batch.key(0) % 2] += batch.size();
            EXPECT_TRUE(batch.all_yes());
        },
        [&](Worker& worker, Client& client, Regions&) {
            HoldUp hold_up;
            worker.append(hold_up, core_id(2));
            worker.flush();
            for (SpinWait wait; !hold_up.is_held.load();) wait.turn();

            // Its own batches and half of the spare ones.
            std::size_t accepted = 0;
            while (accepted < 5000 && client.insert(2 * accepted + 1, accepted)) ++accepted;
            EXPECT_EQ(accepted, (2 + spare / 2) * Batch::capacity);
            Restless room; // what waits for room
            room.ends = true;
            client.when_room(room);
            EXPECT_FALSE(client.insert(2 * accepted + 1, accepted));

            // The other owner has what is left, again and again.
            std::size_t for_other = 0;
            for (int round = 0; round < 20; ++round) {
                std::size_t in_round = 0;
                for (; in_round < 5000; ++in_round) {
                    bool const erases = (for_other / 1000) % 2 != 0;
                    std::uint64_t const key = 2 * (for_other % 1000);
                    if (!client.submit(erases ? Operation::Erase : Operation::Insert, key, 0)) break;
                    ++for_other;
                }
                EXPECT_GE(in_round, 4 * Batch::capacity);
                client.flush();
                worker.run_until([&] { return completed[0] == for_other; });
            }
            EXPECT_EQ(completed[1], 0U);
            EXPECT_EQ(room.turns, 0U);

            hold_up.is_held.store(false);
            worker.run_until([&] { return room.turns == 1; });
            EXPECT_GE(completed[1], Batch::capacity);
            EXPECT_TRUE(client.insert(2 * accepted + 1, accepted));
            worker.run_until([&] { return completed[1] == accepted + 1; });
        });
}

TEST_F(BatchedTest, with_a_cap_a_batch_leaves_a_busy_core_in_time) {
    for (bool const is_short : {true, false}) {
        std::size_t completed = 0;
        with_client(
            {core_id(0)}, {.max_latency = is_short ? microseconds(1) : microseconds(1'000'000)},
            [&](Worker&, Batch const&) { ++completed; },
            [&](Worker& worker, Client& client, Regions&) {
                Restless restless;
                worker.append(restless);
                ASSERT_TRUE(client.insert(1, 1));
                worker.run_until([&] { return completed == 1 || restless.turns == 4 * Worker::max_wait; });
                EXPECT_EQ(completed, is_short ? 1U : 0U); // half a second is left
                if (is_short) {
                    EXPECT_LT(restless.turns, 10 * CoreQueue::round);
                }
                restless.ends = true;
                worker.run_until([&] { return restless.has_ended; });
                worker.run_until([&] { return completed == 1; }); // the core has nothing else to do
            });
    }
}

TEST_F(BatchedTest, with_a_cap_late_batches_make_others_wait_at_home) {
    with_client(
        {core_id(1)}, {.spare = 16, .max_latency = microseconds(1)}, [](Worker&, Batch const&) {},
        [&](Worker& worker, Client& client, Regions&) {
            // Each of them is later than half a microsecond: it sleeps, or waits for the next one.
            std::size_t accepted = 0;
            for (std::uint64_t key = 0; key < 200 * Batch::capacity; ++key) {
                while (!client.find(key)) worker.run_until([&] { return client.at_rest(); });
            }
            worker.run_until([&] { return client.at_rest(); });
            HoldUp hold_up;
            worker.append(hold_up, core_id(1));
            worker.flush();
            for (SpinWait wait; !hold_up.is_held.load();) wait.turn();
            while (accepted < 5000 && client.find(accepted)) ++accepted;
            EXPECT_EQ(accepted, 2 * Batch::capacity);
            hold_up.is_held.store(false);
            worker.run_until([&] { return client.at_rest(); });
        });
}

TEST_F(BatchedTest, an_owner_that_does_not_run_gets_what_is_in_reserve) {
    constexpr std::size_t spare = 8;
    constexpr std::size_t reserve = 40;
    constexpr std::size_t share = (2 + spare / 2) * Batch::capacity;
    std::map<std::uint64_t, std::size_t> completed; // by region
    std::size_t seen = 0;
    with_client(
        {core_id(1), core_id(2)}, {.spare = spare, .reserve = reserve},
        [&](Worker&, Batch const& batch) {
            completed[batch.key(0) % 2] += batch.size();
            EXPECT_TRUE(batch.all_are(Operation::Find));
        },
        [&](Worker& worker, Client& client, Regions&) {
            // How many are accepted, one after the other.
            auto const submit_all = [&](std::uint64_t region) {
                std::size_t accepted = 0;
                while (accepted < 10000 && client.find(2 * accepted + region)) ++accepted;
                return accepted;
            };
            for (int round = 0; round < 3; ++round) {
                HoldUp hold_up;
                worker.append(hold_up, core_id(2));
                worker.flush();
                for (SpinWait wait; !hold_up.is_held.load();) wait.turn();

                EXPECT_EQ(submit_all(1), share);
                Restless room;
                room.ends = true;
                client.when_room(room);
                // The owner is still held: nothing has come home.
                worker.run_until([&] { return room.turns == 1; });
                EXPECT_EQ(completed[1], seen);
                EXPECT_EQ(submit_all(1), reserve * Batch::capacity);
                client.when_room(room);
                // The other owner has its share of the spare ones as before.
                std::size_t const before = completed[0];
                std::size_t const others = submit_all(0);
                EXPECT_GE(others, 4 * Batch::capacity);
                client.flush();
                worker.run_until([&] { return completed[0] == before + others; });
                EXPECT_EQ(room.turns, 1U);

                // It is back: the next round begins with its share.
                hold_up.is_held.store(false);
                worker.run_until([&] { return room.turns == 2 && client.at_rest(); });
                seen += share + reserve * Batch::capacity;
                EXPECT_EQ(completed[1], seen);
            }
        });
}

TEST_F(BatchedTest, a_core_with_other_tasks_does_not_touch_the_reserve) {
    with_client(
        {core_id(1)}, {.spare = 0, .reserve = 8}, [](Worker&, Batch const&) {},
        [&](Worker& worker, Client& client, Regions&) {
            HoldUp hold_up;
            worker.append(hold_up, core_id(1));
            worker.flush();
            for (SpinWait wait; !hold_up.is_held.load();) wait.turn();
            for (std::uint64_t key = 0; key < 2 * Batch::capacity; ++key) ASSERT_TRUE(client.find(key));
            EXPECT_FALSE(client.find(1));
            Restless room;
            room.ends = true;
            client.when_room(room);
            Restless restless;
            worker.append(restless);
            Nanoseconds const start = clock::now();
            worker.run_until([&] { return raw(clock::now()) - raw(start) > 1'000'000; });
            EXPECT_EQ(room.turns, 0U);
            restless.ends = true;
            worker.run_until([&] { return room.turns == 1; }); // now it does
            hold_up.is_held.store(false);
            worker.run_until([&] { return client.at_rest(); });
        });
}

TEST_F(BatchedTest, everybody_who_waits_for_room_is_called) {
    with_client(
        {core_id(1)}, 0, [](Worker&, Batch const&) {},
        [&](Worker& worker, Client& client, Regions&) {
            for (std::uint64_t key = 0; key < 2 * Batch::capacity; ++key) ASSERT_TRUE(client.insert(key, 0));
            Restless waiting[3];
            for (Restless& one : waiting) {
                one.ends = true;
                ASSERT_FALSE(client.find(1));
                client.when_room(one);
            }
            for (Restless& one : waiting) worker.run_until([&] { return one.turns == 1; });
            EXPECT_TRUE(client.find(1));
        });
}

TEST_F(BatchedTest, results_that_nobody_wants_cost_no_call) {
    auto runtime = Runtime::start({.cores = 3, .nodes = 1, .memory_bytes = 64 * MiB});
    ASSERT_TRUE(runtime.ok());
    runtime.value().run([](Worker& worker) {
        Regions regions({core_id(0), core_id(1), core_id(2)});
        auto batched = Batched<Regions>::create(regions);
        using Silent = BatchClient<Regions>;
        Silent client(worker, batched.value(), Silent::Memory::create(batched.value(), worker.node()).value());
        for (std::uint64_t key = 0; key < 700; ++key) ASSERT_TRUE(client.insert(key, key + 1));
        client.flush();
        worker.run_until([&] { return client.at_rest(); });
        for (std::uint64_t key = 0; key < 700; ++key) EXPECT_EQ(*regions.region(key % 3).find(key), key + 1);
    });
}

// A client may submit while it is told of what has ended.
TEST_F(BatchedTest, operations_follow_from_results) {
    Client* the_client = nullptr;
    std::uint64_t last = 0;
    with_client(
        {core_id(0), core_id(1)}, 2,
        [&](Worker&, Batch const& batch) {
            for (std::size_t i = 0; i < batch.size(); ++i) {
                last = batch.key(i);
                if (last < 100) {
                    EXPECT_TRUE(the_client->insert(last + 1, 0));
                }
            }
        },
        [&](Worker& worker, Client& client, Regions&) {
            the_client = &client;
            ASSERT_TRUE(client.insert(1, 0));
            worker.run_until([&] { return last == 100 && client.at_rest(); });
        });
}

TEST_F(BatchedTest, the_task_at_rest_is_called_once_all_has_ended) {
    std::size_t completed = 0;
    with_client(
        {core_id(1), core_id(2), core_id(3)}, 2, [&](Worker&, Batch const& batch) { completed += batch.size(); },
        [&](Worker& worker, Client& client, Regions&) {
            Restless rest;
            rest.ends = true;
            client.when_at_rest(rest); // it is already
            worker.run_until([&] { return rest.turns == 1; });
            for (std::uint64_t key = 0; key < 100; ++key) ASSERT_TRUE(client.insert(key, 0));
            client.when_at_rest(rest); // not flushed: the core must become idle
            worker.run_until([&] { return rest.turns == 2; });
            EXPECT_EQ(completed, 100U);
            EXPECT_TRUE(client.at_rest());
        });
}

TEST_F(BatchedDeathTest, a_client_does_not_go_before_its_operations_have_ended) {
    EXPECT_DEATH(
        {
            auto runtime = Runtime::start({.cores = 1, .memory_bytes = 64 * MiB});
            runtime.value().run([](Worker& worker) {
                Regions regions({core_id(0)});
                auto batched = Batched<Regions>::create(regions);
                BatchClient<Regions> client(
                    worker, batched.value(),
                    BatchClient<Regions>::Memory::create(batched.value(), worker.node()).value());
                EXPECT_TRUE(client.insert(1, 1));
            });
        },
        "a client of batches goes when all its operations have ended");
}

TEST_F(BatchedDeathTest, only_the_refused_wait_for_room) {
    Restless task;
    EXPECT_DEATH(with_client(
                     {core_id(0)}, 4, [](Worker&, Batch const&) {},
                     [&](Worker&, Client& client, Regions&) { client.when_room(task); }),
                 "an operation is refused before its client waits for room");
}

class BatchSupplyTest : public MemoryTest {
  protected:
    // With its batches, in 1 MiB of memory.
    BatchSupply<Batch> make_supply(std::size_t regions, std::size_t spare, std::size_t reserve) {
        configure({1 * MiB});
        auto made = BatchSupply<Batch>::create(regions, spare, reserve, node_id(0));
        EXPECT_TRUE(made.ok());
        BatchSupply<Batch> supply = std::move(made).value();
        supply.fill(client, home);
        return supply;
    }

    BatchHome client{nullptr};
    CoreId home = core_id(0);
};

TEST_F(BatchSupplyTest, each_region_has_two_and_leaves_as_many_spare_ones_as_it_takes) {
    BatchSupply<Batch> supply = make_supply(3, 6, 0);

    std::vector<std::vector<Batch*>> held(3);
    auto const take_all = [&](std::size_t region) {
        while (Batch* const batch = supply.take(held[region].size())) held[region].push_back(batch);
        return held[region].size();
    };
    EXPECT_EQ(take_all(0), 2 + 3U); // half of 6
    EXPECT_EQ(take_all(1), 2 + 2U); // as many as are left: of 3, 2 and then 1
    EXPECT_EQ(take_all(2), 2 + 1U); // of 1, 1 and then 0
    EXPECT_EQ(supply.out(), 12U);
    std::vector<Batch*> all;
    for (auto const& of_region : held) all.insert(all.end(), of_region.begin(), of_region.end());
    std::ranges::sort(all);
    EXPECT_EQ(std::ranges::unique(all).size(), 0U);

    Batch* const back = held[0].back();
    supply.give_back(*back, held[0].size());
    held[0].pop_back();
    EXPECT_EQ(supply.take(held[0].size()), nullptr); // it has more than are left
    Batch* const again = supply.take(held[2].size());
    EXPECT_EQ(again, nullptr); // as many as are left
    for (auto& of_region : held) {
        while (!of_region.empty()) {
            supply.give_back(*of_region.back(), of_region.size());
            of_region.pop_back();
        }
    }
    EXPECT_EQ(supply.out(), 0U);
    EXPECT_EQ(take_all(0), 2 + 3U);
}

TEST_F(BatchSupplyTest, a_reserve_is_lent_and_comes_back) {
    BatchSupply<Batch> supply = make_supply(2, 4, 6);
    EXPECT_EQ(supply.size(), 2 * 2 + 4 + 6U);

    std::vector<Batch*> held;
    auto const take_all = [&] {
        while (Batch* const batch = supply.take(held.size())) held.push_back(batch);
        return held.size();
    };
    EXPECT_EQ(take_all(), 2 + 2U);
    supply.fill_reserve(client, home);
    std::size_t const used = used_bytes();
    supply.fill_reserve(client, home); // there it is
    EXPECT_EQ(used_bytes(), used);
    supply.lend(true);
    EXPECT_EQ(take_all(), 2 + 2 + 6U);
    std::vector<std::size_t> numbers;
    for (Batch const* const batch : held) numbers.push_back(supply.number_of(*batch));
    std::ranges::sort(numbers);
    EXPECT_EQ(std::ranges::unique(numbers).size(), 0U);
    EXPECT_LT(numbers.back(), supply.size());
    supply.settle(); // nothing is back
    EXPECT_TRUE(supply.has_borrowed());
    EXPECT_FALSE(supply.has_reserve());
    supply.lend(false);
    auto const give_back = [&](std::size_t count) {
        for (; count > 0; --count) {
            supply.give_back(*held.back(), held.size());
            held.pop_back();
        }
        supply.settle();
    };
    give_back(8);
    EXPECT_FALSE(supply.has_borrowed());
    EXPECT_EQ(take_all(), 2 + 2U);
    supply.lend(true);
    EXPECT_EQ(take_all(), 2 + 2 + 6U); // all of it has come back
    supply.lend(false);
    give_back(10);
    EXPECT_EQ(supply.out(), 0U);
    EXPECT_EQ(take_all(), 2 + 2U);
}

TEST_F(BatchSupplyTest, without_memory_there_is_none) {
    configure({1 * MiB});
    EXPECT_FALSE((BatchSupply<Batch>::create(1000, 32, 0, node_id(0)).ok()));
    EXPECT_EQ(used_bytes(), 0U);
}

TEST_F(BatchSupplyTest, without_memory_for_it_there_is_no_reserve) {
    BatchSupply<Batch> supply = make_supply(2, 4, 2000);
    EXPECT_TRUE(supply.has_reserve());
    supply.fill_reserve(client, home);
    EXPECT_FALSE(supply.has_reserve());
    supply.lend(true);
    std::size_t held = 0;
    while (supply.take(held) != nullptr) ++held;
    EXPECT_EQ(held, 2 + 2U);
}

} // namespace
} // namespace mxk::test
