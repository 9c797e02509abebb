// The thesis' open addressing for threads: random operations of many threads on few keys in very small tables, in
// which searches go round the ring of regions. The order of those on one key is looked at in histories.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <unordered_map>
#include <vector>

#include "bench/workload/random.hpp"
#include "hashtable/shared/locked_probe.hpp"
#include "tests/delays.hpp"
#include "tests/kernel/contenders.hpp"
#include "tests/unit/history.hpp"
#include "tests/unit/in_thread.hpp"
#include "tests/unit/linearizable.hpp"

namespace mxk::test {
namespace {

std::vector<Owner> ring_of(std::size_t regions) {
    std::vector<Owner> owners;
    owners.reserve(regions);
    for (std::size_t i = 0; i < regions; ++i)
        owners.push_back({core_id(i % small_machine.cores), node_id(i % small_machine.nodes)});
    return owners;
}

LockedProbe probed_table(std::size_t slots, std::size_t regions, std::size_t threads) {
    auto created = LockedProbe::create(slots, ring_of(regions), threads, SemaphoreKind::Fast);
    EXPECT_TRUE(created.ok());
    return std::move(created).value();
}

TEST(Turns, come_in_the_order_of_asking) {
    on_machine([] {
        in_one_thread([] {
            auto turns = Turns::create(3, SemaphoreKind::Fast, node_id(0));
            ASSERT_TRUE(turns.ok());
            for (int round = 0; round < 20; ++round) {
                Turns::Turn const first = turns.value().ask();
                Turns::Turn const second = turns.value().ask();
                Turns::Turn const third = turns.value().ask();
                turns.value().wait(first);
                turns.value().end(first); // would wait for ever if it were not first
                turns.value().wait(second);
                turns.value().end(second);
                turns.value().wait(third);
                turns.value().end(third);
            }
        });
    });
}

TEST(LockedProbe, does_as_the_standards_map) {
    on_machine([] {
        in_one_thread([] {
            for (std::size_t const regions : {1U, 2U, 5U}) {
                LockedProbe table = probed_table(61, regions, 1);
                std::unordered_map<std::uint64_t, std::uint64_t> expected;
                std::mt19937_64 random(regions);
                for (std::uint64_t i = 0; i < 40'000; ++i) {
                    std::uint64_t const key = 1 + random() % 80;
                    bool const there = expected.contains(key);
                    TravellingProbe probe(key, i);
                    switch (random() % 3) {
                    case 0: {
                        bool const is_full = !there && expected.size() == 61;
                        ASSERT_EQ(table.put(probe), is_full ? Probed::Full : there ? Probed::There : Probed::NotThere);
                        if (!is_full) expected[key] = i;
                        break;
                    }
                    case 1:
                        ASSERT_EQ(table.erase(probe), there ? Probed::There : Probed::NotThere);
                        expected.erase(key);
                        break;
                    default:
                        ASSERT_EQ(table.find(probe), there ? Probed::There : Probed::NotThere);
                        if (there) {
                            ASSERT_EQ(probe.value(), expected[key]);
                        }
                    }
                    ASSERT_EQ(table.size(), expected.size());
                }
            }
        });
    });
}

TEST(LockedProbe, threads_of_all_cores_get_the_results_of_some_order) {
    on_machine([] {
        std::size_t const threads = 2 * workers::count();
        std::size_t const keys = Contender<ProbeUser<LockedProbe>>::keys_each * (threads + 1);
        InjectDelays const delays;
        for (std::size_t const regions : {1U, 3U, 8U}) {
            LockedProbe table = probed_table(keys + threads, regions, threads);
            EXPECT_EQ(contend(
                          4'000, [&](std::size_t) { return ProbeUser(table); },
                          [&](std::uint64_t key) { return ProbeUser<LockedProbe>::holds(table, key); }),
                      0U);
        }
    });
}

// Goes all round the ring with one key, and notes in each region which operation it is.
struct Passenger {
    using Orders = std::vector<std::vector<std::size_t>>; // by region: the one that has it

    LockedProbe& table;
    Orders& orders;
    std::size_t number;

    void operator()() {
        for (std::size_t i = 0; i < 400; ++i) {
            std::size_t visits = 0;
            table.travel(TravellingProbe(1), [&](LockedProbe::Table&, std::size_t at) {
                orders[at].push_back(number * 400 + i);
                return ++visits < orders.size() ? Probed::EndOfRegion : Probed::NotThere;
            });
        }
    }
};

TEST(LockedProbe, operations_on_a_key_come_through_all_regions_in_the_same_order) {
    on_machine([] {
        InjectDelays const delays;
        std::size_t const threads = 2 * workers::count();
        LockedProbe table = probed_table(64, 3, threads);
        Passenger::Orders orders(3);
        std::vector<Passenger> passengers;
        passengers.reserve(threads);
        for (std::size_t i = 0; i < threads; ++i) passengers.push_back({table, orders, i});
        ThreadGroup group(threads);
        for (std::size_t i = 0; i < threads; ++i) group.start({.core = core_id(i % workers::count())}, passengers[i]);
        group.join();
        EXPECT_EQ(orders[0].size(), 400 * threads);
        EXPECT_EQ(orders[0], orders[1]);
        EXPECT_EQ(orders[1], orders[2]);
    });
}

// A thread with operations on few keys, which it notes. One on each core, since a core's history is its own.
class Recorder {
  public:
    Recorder(LockedProbe& table, History& history, std::size_t number, std::uint64_t seed, std::uint64_t keys)
        : table_(table)
        , history_(history)
        , core_(core_id(number))
        , keys_(keys)
        , random_(seed * 31 + number) {}

    void operator()() {
        for (int i = 0; i < 60; ++i) {
            Event event{
                .operation = static_cast<Operation>(random_.below(3)), .key = 1 + random_.below(keys_), .core = core_};
            event.value = ~event.key;
            TravellingProbe probe(event.key, event.value);
            event.invoked = time_of_invocation();
            Probed const probed = run(event.operation, probe);
            event.responded = time_of_response();
            bool const is_insert = event.operation == Operation::Insert;
            event.result = probed == Probed::Full                                     ? TableResult::Full
                           : probed == (is_insert ? Probed::NotThere : Probed::There) ? TableResult::Yes
                                                                                      : TableResult::No;
            if (event.operation == Operation::Find) event.value = probe.value();
            history_.note(event);
        }
    }

  private:
    Probed run(Operation operation, TravellingProbe& probe) {
        switch (operation) {
        case Operation::Insert: return table_.put(probe);
        case Operation::Find: return table_.find(probe);
        default: break;
        }
        return table_.erase(probe);
    }

    LockedProbe& table_;
    History& history_;
    CoreId core_;
    std::uint64_t keys_;
    bench::Random random_;
};

// Few slots, so that no slot is empty after a while, and every search goes all the way round.
TEST(LockedProbe, is_linearizable_round_the_ring) {
    on_machine([] {
        InjectDelays const delays;
        std::size_t overlaps = 0;
        for (std::uint64_t seed = 1; seed <= 60; ++seed) {
            std::size_t const regions = 1 + seed % 4;
            LockedProbe table = probed_table(4 + seed % 5, regions, workers::count());
            History history(workers::count());
            std::vector<Recorder> recorders;
            recorders.reserve(workers::count());
            for (std::size_t i = 0; i < workers::count(); ++i)
                recorders.emplace_back(table, history, i, seed, 2 + seed % 4);
            ThreadGroup group(recorders.size());
            for (std::size_t i = 0; i < recorders.size(); ++i) group.start({.core = core_id(i)}, recorders[i]);
            group.join();
            auto const events = history.events();
            overlaps += overlapping(events);
            auto const why = why_not_linearizable(events, FullInserts::Allowed);
            ASSERT_FALSE(why) << *why;
        }
        EXPECT_GT(overlaps, 30U);
    });
}

} // namespace
} // namespace mxk::test
