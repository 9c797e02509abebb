// Tables of probed regions for tests on one thread, which brings operations from region to region itself.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "hashtable/layout/travelling_probe.hpp"
#include "tests/kernel/probe_history.hpp"
#include "tests/unit/memory_fixture.hpp"

namespace mxk::test {

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

} // namespace mxk::test
