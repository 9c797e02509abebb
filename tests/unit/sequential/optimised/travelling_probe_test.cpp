// Operations on probed regions (hashtable/table/travelling_probe.hpp) on one thread, which brings them from region to
// region itself. One after the other, against a model; and many under way at once in very small tables, where a random
// generator says which goes on next: all that queues which keep the order per sender may do, and more of it than cores
// show. tests/kernel/travelling_probe_test.cpp has the same on real cores.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <unordered_map>
#include <vector>

#include "hashtable/table/travelling_probe.hpp"
#include "tests/kernel/probe_history.hpp"
#include "tests/unit/memory_fixture.hpp"

namespace mxk::test {
namespace {

using probing::Kind;

class TravellingProbeTest : public MemoryTest {
  protected:
    using Table = TravellingProbe::Table;
    using Slot = ProbedRegion::Slot;

    void SetUp() override { configure({4 * MiB, 4 * MiB}); }

    static Table create(std::size_t slots, std::size_t regions) {
        std::vector<Owner> owners;
        for (std::size_t i = 0; i < regions; ++i) owners.push_back({core_id(i), node_id(i * 2 / regions)});
        auto table = Table::create(slots, owners);
        EXPECT_TRUE(table.ok()) << (table.ok() ? "" : table.error().message());
        return std::move(table).value();
    }

    // From its owner to its end.
    static Probed put(Table& table, std::uint64_t key, std::uint64_t value) {
        TravellingProbe probe(key, value);
        return probing::run(probe, Kind::Put, table);
    }
    static std::optional<std::uint64_t> find(Table& table, std::uint64_t key) {
        TravellingProbe probe(key);
        if (probing::run(probe, Kind::Find, table) != Probed::There) return {};
        return probe.value();
    }
    static bool erase(Table& table, std::uint64_t key) {
        TravellingProbe probe(key);
        return probing::run(probe, Kind::Erase, table) == Probed::There;
    }

    using Pairs = std::map<std::uint64_t, std::uint64_t>;

    // Of the whole table, none twice; its count agrees with them.
    static Pairs pairs(Table const& table) {
        Pairs found;
        for (std::size_t at = 0; at < table.region_count(); ++at) {
            table.region(at).for_each([&](std::uint64_t key, std::uint64_t value) {
                EXPECT_TRUE(found.emplace(key, value).second) << "twice: " << key;
            });
        }
        EXPECT_EQ(found.size(), table.size());
        return found;
    }

    // The slot at which the search for a key begins.
    static Slot const& home(Table const& table, std::uint64_t key) { return *table.bucket_of(key, table.owner(key)); }
};

TEST_F(TravellingProbeTest, every_slot_is_a_home) {
    for (std::size_t regions = 1; regions <= 5; ++regions) {
        Table table = create(13, regions);
        for (std::uint64_t key = 1; key <= 13; ++key) {
            // The thesis' test for the home region leaves out its first slot.
            TravellingProbe probe(key, key + 100);
            EXPECT_EQ(probe.put(table, table.owner(key)), Probed::NotThere);
            EXPECT_EQ(home(table, key).key, key);
            EXPECT_EQ(home(table, key).value, key + 100);
        }
        EXPECT_EQ(pairs(table).size(), 13U);
    }
}

TEST_F(TravellingProbeTest, a_full_table_refuses_new_keys_only) {
    for (std::size_t regions = 1; regions <= 8; ++regions) {
        Table table = create(8, regions);
        for (std::uint64_t key = 1; key <= 8; ++key) EXPECT_EQ(put(table, key * 7, key), Probed::NotThere);
        Pairs const before = pairs(table);
        for (std::uint64_t key = 100; key < 108; ++key) {
            EXPECT_EQ(put(table, key, 0), Probed::Full);
            EXPECT_EQ(find(table, key), std::nullopt);
            EXPECT_FALSE(erase(table, key));
        }
        EXPECT_EQ(pairs(table), before);
        for (std::uint64_t key = 1; key <= 8; ++key) EXPECT_EQ(put(table, key * 7, key + 1), Probed::There);
        // Wherever a slot comes free, every key finds it.
        for (std::uint64_t key = 1; key <= 8; ++key) {
            EXPECT_TRUE(erase(table, key * 7));
            EXPECT_EQ(put(table, 200 + key, 0), Probed::NotThere);
            EXPECT_EQ(put(table, 300 + key, 0), Probed::Full);
        }
    }
}

TEST_F(TravellingProbeTest, random_operations_match_the_standard_map) {
    struct TableShape {
        std::size_t slots, regions, keys, operations;
    };
    for (TableShape const& shape :
         {TableShape{1, 1, 3, 50'000}, TableShape{7, 1, 6, 300'000}, TableShape{64, 1, 100, 300'000},
          TableShape{1009, 1, 700, 1'000'000}, TableShape{2, 2, 4, 100'000}, TableShape{7, 7, 9, 200'000},
          TableShape{16, 3, 14, 300'000}, TableShape{100, 8, 120, 300'000}, TableShape{1009, 17, 700, 1'000'000}}) {
        Table table = create(shape.slots, shape.regions);
        std::unordered_map<std::uint64_t, std::uint64_t> expected;
        std::mt19937_64 random(shape.slots + shape.regions);
        for (std::uint64_t i = 0; i < shape.operations; ++i) {
            std::uint64_t const key = 1 + random() % shape.keys * 3; // 3 slots apart: where few are taken they crowd
            auto const there = expected.find(key);
            bool const is_there = there != expected.end();
            switch (random() % 3) {
            case 0: {
                bool const is_full = !is_there && expected.size() == shape.slots;
                ASSERT_EQ(put(table, key, i), is_full ? Probed::Full : is_there ? Probed::There : Probed::NotThere);
                if (!is_full) expected[key] = i;
                break;
            }
            case 1:
                ASSERT_EQ(erase(table, key), is_there);
                expected.erase(key);
                break;
            default: ASSERT_EQ(find(table, key), is_there ? std::optional(there->second) : std::nullopt);
            }
            ASSERT_EQ(table.size(), expected.size());
        }
        EXPECT_EQ(pairs(table), Pairs(expected.begin(), expected.end()));
    }
}

struct Shape {
    std::size_t slots;
    std::size_t regions;
    std::size_t clients;
    std::size_t under_way; // up to, for each client
    std::size_t keys;      // of all clients
    std::size_t finds;     // percent; the others are puts and erases
};

class TravellingProbeOrderTest : public TravellingProbeTest {
  protected:
    struct Traveller {
        TravellingProbe probe;
        probing::Record* record = nullptr;
        bool has_arrived = false; // at its key's owner
    };

    // Operations on their way between two places, in order.
    struct Way {
        std::size_t region; // where it leads
        std::deque<Traveller> travellers;
    };

    class Schedule {
      public:
        Schedule(Shape const& shape, std::uint64_t seed)
            : shape_(shape)
            , table_(create(shape.slots, shape.regions))
            , random_(seed)
            , arrivals_(shape.keys)
            , sent_(shape.clients)
            , under_way_(shape.clients) {
            // From each client, and from the region in front, to each region.
            for (std::size_t from = 0; from <= shape.clients; ++from)
                for (std::size_t region = 0; region < shape.regions; ++region) ways_.push_back({region, {}});
        }

        probing::Outcome run(std::size_t operations) {
            records_.reserve(operations); // pointers to them travel
            while (records_.size() < operations ||
                   std::ranges::any_of(under_way_, [](std::size_t n) { return n > 0; })) {
                std::size_t const at = random_() % (ways_.size() + shape_.clients);
                if (at < ways_.size())
                    visit_next(ways_[at]);
                else if (records_.size() < operations)
                    send(at - ways_.size());
            }
            return probing::replay(records_, table_);
        }

      private:
        void send(std::size_t client) {
            if (under_way_[client] == shape_.under_way) return;
            ++under_way_[client];
            std::uint64_t const key = 1 + random_() % shape_.keys;
            constexpr std::array changes{Kind::Put, Kind::Put, Kind::Erase, Kind::Erase, Kind::Update, Kind::Modify};
            Kind const kind = random_() % 100 < shape_.finds ? Kind::Find : changes.at(random_() % changes.size());
            auto& record = records_.emplace_back();
            record.key = key;
            record.client = static_cast<std::uint32_t>(client);
            record.number = sent_[client]++;
            record.kind = kind;
            way(client, table_.owner(key)).travellers.push_back({TravellingProbe(key, records_.size()), &record});
        }

        void visit_next(Way& way_here) {
            if (way_here.travellers.empty()) return;
            Traveller traveller = way_here.travellers.front();
            way_here.travellers.pop_front();
            std::size_t const here = way_here.region;
            probing::Record& record = *traveller.record;
            if (!traveller.has_arrived) record.place = arrivals_[record.key - 1]++;
            traveller.has_arrived = true;
            record.result = probing::visit(traveller.probe, record.kind, table_, here);
            if (record.result == Probed::EndOfRegion) {
                way(shape_.clients, TravellingProbe::next(table_, here)).travellers.push_back(traveller);
            } else {
                record.value = traveller.probe.value();
                --under_way_[record.client];
            }
        }

        Way& way(std::size_t from, std::size_t region) { return ways_[from * shape_.regions + region]; }

        Shape shape_;
        Table table_;
        std::mt19937_64 random_;
        std::vector<Way> ways_;
        std::vector<probing::Record> records_;
        std::vector<std::uint32_t> arrivals_; // by key
        std::vector<std::uint32_t> sent_;     // by client
        std::vector<std::size_t> under_way_;  // by client
    };

    static probing::Outcome run(Shape const& shape, std::uint64_t seed, std::size_t operations) {
        probing::Outcome const outcome = Schedule(shape, seed).run(operations);
        EXPECT_EQ(outcome.wrong, 0U);
        EXPECT_EQ(outcome.lost, 0U);
        EXPECT_EQ(outcome.in_table, outcome.expected_in_table);
        return outcome;
    }
};

TEST_F(TravellingProbeOrderTest, each_result_is_that_of_the_order_of_arrival) {
    for (Shape const& shape :
         {Shape{1, 1, 2, 3, 2, 30}, Shape{3, 1, 2, 4, 3, 30}, Shape{2, 2, 2, 3, 4, 30}, Shape{3, 3, 3, 3, 5, 30},
          Shape{5, 2, 3, 4, 4, 20}, Shape{6, 3, 3, 5, 10, 20}, Shape{8, 4, 4, 4, 6, 30}, Shape{8, 8, 2, 10, 5, 30},
          Shape{12, 4, 8, 8, 24, 20}, Shape{40, 4, 4, 8, 30, 30}}) {
        probing::Outcome const outcome = run(shape, shape.slots, 100'000);
        if (shape.slots < shape.keys) {
            EXPECT_GT(outcome.full, 0U);
        }
    }
}

// While there are empty slots, and not long after: each begins with an empty table.
TEST_F(TravellingProbeOrderTest, young_tables_too) {
    for (std::uint64_t seed = 1; seed <= 2'000; ++seed)
        run({.slots = 4 + seed % 13, .regions = 1 + seed % 4, .clients = 3, .under_way = 4, .keys = 8, .finds = 30},
            seed, 100);
}

TEST(TravellingProbeDeathTest, key_0_is_none) {
    EXPECT_DEATH(TravellingProbe(0), "a free slot has key 0");
}

} // namespace
} // namespace mxk::test
