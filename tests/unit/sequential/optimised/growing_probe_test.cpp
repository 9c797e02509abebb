// Probed regions that grow while operations travel (hashtable/layout/growing_probed_region.hpp), on one thread: one
// operation after the other, against a model; and many under way, where a random generator says which goes on next.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <random>
#include <unordered_map>
#include <vector>

#include "hashtable/layout/growing_probed_region.hpp"
#include "hashtable/table/travelling_probe.hpp"
#include "tests/kernel/probe_history.hpp"
#include "tests/unit/memory_fixture.hpp"

namespace mxk::test {
namespace {

using probing::Kind;
using GrowingProbes = Partitioned<GrowingProbedRegion>;

class GrowingProbeTest : public MemoryTest {
  protected:
    void SetUp() override { configure({64 * MiB, 64 * MiB}); }

    static GrowingProbes create(std::size_t slots_each, std::size_t regions) {
        std::vector<Owner> owners;
        owners.reserve(regions);
        for (std::size_t i = 0; i < regions; ++i) owners.push_back({core_id(i), node_id(i * 2 / regions)});
        auto table = GrowingProbes::create(slots_each * regions, owners);
        EXPECT_TRUE(table.ok()) << (table.ok() ? "" : table.error().message());
        return std::move(table).value();
    }
    static std::size_t slots(GrowingProbes const& table) {
        std::size_t sum = 0;
        for (std::size_t at = 0; at < table.region_count(); ++at) sum += table.region(at).slot_count();
        return sum;
    }
    static void expect_content(GrowingProbes& table, std::unordered_map<std::uint64_t, std::uint64_t> const& expected) {
        std::size_t visited = 0;
        table.for_each([&](std::uint64_t key, std::uint64_t value) {
            auto const there = expected.find(key);
            EXPECT_TRUE(there != expected.end() && there->second == value) << key;
            ++visited;
        });
        EXPECT_EQ(visited, expected.size()); // none twice
        EXPECT_EQ(table.size(), expected.size());
        for (auto const& [key, value] : expected) {
            TravellingProbe probe(key);
            ASSERT_EQ(probing::run(probe, Kind::Find, table), Probed::There) << key;
            ASSERT_EQ(probe.value(), value);
        }
    }
};

// Waves of growth, and of erasing, in which slots are cleared of what was deleted. `stride`: 1, or keys that crowd.
void play(GrowingProbes& table, std::unordered_map<std::uint64_t, std::uint64_t>& expected, std::uint64_t seed,
          std::uint64_t operations, std::uint64_t keys, std::uint64_t stride, bool works) {
    std::mt19937_64 random(seed);
    for (std::uint64_t i = 0; i < operations; ++i) {
        std::uint64_t const key = 1 + random() % keys * stride;
        auto const there = expected.find(key);
        bool const is_there = there != expected.end();
        bool const grows = i * 4 / operations % 2 == 0;
        TravellingProbe probe(key, i);
        switch (std::uint64_t const draw = random() % 4; draw == 0   ? 0
                                                         : draw == 1 ? (grows ? 2 : 1)
                                                                     : (grows ? 1 : 2)) {
        case 0:
            ASSERT_EQ(probing::run(probe, Kind::Find, table), is_there ? Probed::There : Probed::NotThere);
            if (is_there) {
                ASSERT_EQ(probe.value(), there->second);
            }
            break;
        case 1:
            ASSERT_EQ(probing::run(probe, Kind::Put, table), is_there ? Probed::There : Probed::NotThere) << i;
            expected[key] = i;
            break;
        default:
            ASSERT_EQ(probing::run(probe, Kind::Erase, table), is_there ? Probed::There : Probed::NotThere);
            expected.erase(key);
        }
        if (std::size_t const at = random() % table.region_count(); works && table.region(at).has_work())
            table.region(at).work();
    }
}

TEST_F(GrowingProbeTest, random_operations_match_the_standard_map_while_regions_grow) {
    struct Shape {
        std::size_t slots_each, regions;
        std::uint64_t keys, operations, stride;
    };
    for (Shape const& shape : {Shape{64, 1, 60, 50'000, 1}, Shape{64, 1, 40'000, 300'000, 1},
                               Shape{64, 2, 40'000, 300'000, 1}, Shape{100, 5, 100'000, 600'000, 1},
                               Shape{64, 4, 3'000, 200'000, 256}, Shape{64, 3, 2'000, 200'000, 192 * 7}}) {
        for (bool const works : {false, true}) {
            GrowingProbes table = create(shape.slots_each, shape.regions);
            std::unordered_map<std::uint64_t, std::uint64_t> expected;
            play(table, expected, shape.keys, shape.operations, shape.keys, shape.stride, works);
            expect_content(table, expected);
            EXPECT_LT(slots(table), std::max<std::size_t>(8 * shape.keys, 2 * shape.slots_each * shape.regions + 1000));
        }
    }
}

TEST_F(GrowingProbeTest, a_table_of_a_few_keys_does_not_grow_for_what_was_erased) {
    GrowingProbes table = create(64, 2);
    for (std::uint64_t key = 1; key < 200'000; ++key) {
        TravellingProbe put(key, key);
        ASSERT_EQ(probing::run(put, Kind::Put, table), Probed::NotThere);
        TravellingProbe erase(key);
        ASSERT_EQ(probing::run(erase, Kind::Erase, table), Probed::There);
    }
    EXPECT_LT(slots(table), 1000U);
    EXPECT_EQ(table.size(), 0U);
}

TEST_F(GrowingProbeTest, a_step_is_short_and_both_arrays_are_there_meanwhile) {
    GrowingProbes table = create(4096, 1);
    GrowingProbedRegion& region = table.region(0);
    std::uint64_t key = 0;
    while (!region.has_work()) {
        ++key;
        TravellingProbe probe(key, key);
        ASSERT_EQ(probing::run(probe, Kind::Put, table), Probed::NotThere);
    }
    std::size_t steps = 0;
    for (; region.has_work(); ++steps) {
        for (std::uint64_t at = 1 + steps % 7; at <= key; at += 7) {
            TravellingProbe probe(at);
            ASSERT_EQ(probing::run(probe, Kind::Find, table), Probed::There);
        }
        region.work();
    }
    EXPECT_GE(steps, 4096U / 128 + 8192U / 512);
    EXPECT_GE(region.slot_count(), 8192U);
}

// Without memory, keys stay where they are, and a put without a place is Full.
TEST_F(GrowingProbeTest, without_memory_a_table_is_full) {
    configure({256 * KiB});
    auto created = GrowingProbes::create(1024, std::vector<Owner>{{core_id(0), node_id(0)}});
    ASSERT_TRUE(created.ok());
    std::uint64_t key = 0;
    Probed probed{};
    do {
        ++key;
        TravellingProbe probe(key, key);
        probed = probing::run(probe, Kind::Put, created.value());
    } while (probed == Probed::NotThere && key < 100'000);
    EXPECT_EQ(probed, Probed::Full);
    for (std::uint64_t at = 1; at < key; ++at) {
        TravellingProbe probe(at);
        ASSERT_EQ(probing::run(probe, Kind::Find, created.value()), Probed::There);
    }
}

// Operations on their way between two places, in order; which way's first one goes on next is random.
class GrowingSchedule {
  public:
    GrowingSchedule(GrowingProbes table, std::size_t clients, std::uint64_t keys, std::uint64_t seed)
        : table_(std::move(table))
        , clients_(clients)
        , keys_(keys)
        , random_(seed)
        , ways_((clients + 1) * table_.region_count())
        , arrivals_(keys)
        , sent_(clients)
        , under_way_(clients) {}

    probing::Outcome run(std::size_t operations) {
        records_.reserve(operations); // pointers to them travel
        auto const is_busy = [&] { return std::ranges::any_of(under_way_, [](std::size_t n) { return n > 0; }); };
        while (records_.size() < operations || is_busy()) {
            std::size_t const at = random_() % (ways_.size() + 2 * clients_);
            if (at < ways_.size())
                visit_next(at);
            else if (at < ways_.size() + clients_ && records_.size() < operations)
                send(at - ways_.size());
            else if (auto& region = table_.region(random_() % table_.region_count()); region.has_work())
                region.work();
        }
        return probing::replay(records_, table_);
    }

  private:
    struct Traveller {
        TravellingProbe probe;
        probing::Record* record = nullptr;
        bool has_arrived = false; // at its key's owner
    };

    std::deque<Traveller>& way(std::size_t from, std::size_t region) {
        return ways_[from * table_.region_count() + region];
    }

    void send(std::size_t client) {
        if (under_way_[client] == 6) return;
        ++under_way_[client];
        std::uint64_t const key = 1 + random_() % keys_;
        auto& record = records_.emplace_back();
        record.key = key;
        record.client = static_cast<std::uint32_t>(client);
        record.number = sent_[client]++;
        std::uint64_t const draw = random_() % 10;
        record.kind = draw < 3 ? Kind::Find : draw < 8 ? Kind::Put : Kind::Erase;
        way(client, table_.owner(key)).push_back({TravellingProbe(key, records_.size()), &record});
    }

    void visit_next(std::size_t at) {
        if (ways_[at].empty()) return;
        Traveller traveller = ways_[at].front();
        ways_[at].pop_front();
        std::size_t const here = at % table_.region_count();
        probing::Record& record = *traveller.record;
        if (!traveller.has_arrived) record.place = arrivals_[record.key - 1]++;
        traveller.has_arrived = true;
        record.result = probing::visit(traveller.probe, record.kind, table_, here);
        if (record.result == Probed::EndOfRegion) {
            ++travelled_;
            return way(clients_, TravellingProbe::next(table_, here)).push_back(traveller);
        }
        record.value = traveller.probe.value();
        --under_way_[record.client];
    }

  public:
    [[nodiscard]] std::size_t travelled() const { return travelled_; }

  private:
    GrowingProbes table_;
    std::size_t clients_;
    std::uint64_t keys_;
    std::mt19937_64 random_;
    std::vector<std::deque<Traveller>> ways_; // from each client, and from the region in front, to each region
    std::vector<probing::Record> records_;
    std::vector<std::uint32_t> arrivals_; // by key
    std::vector<std::uint32_t> sent_;     // by client
    std::vector<std::size_t> under_way_;  // by client
    std::size_t travelled_ = 0;           // visits that did not end an operation
};

TEST_F(GrowingProbeTest, each_result_is_that_of_the_order_of_arrival_while_regions_grow) {
    std::size_t travelled = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        GrowingSchedule schedule(create(64, 1 + seed % 5), 3, 100 + seed * 7, seed);
        probing::Outcome const outcome = schedule.run(4'000);
        ASSERT_EQ(outcome.wrong, 0U) << seed;
        ASSERT_EQ(outcome.lost, 0U) << seed;
        ASSERT_EQ(outcome.full, 0U) << seed;
        ASSERT_EQ(outcome.in_table, outcome.expected_in_table) << seed;
        travelled += schedule.travelled();
    }
    EXPECT_GT(travelled, 1000U);
}

} // namespace
} // namespace mxk::test
