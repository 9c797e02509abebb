// Partitioned tables whose regions belong to made-up cores, spread over the nodes of a made-up memory.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "hashtable/table/partitioned.hpp"
#include "tests/unit/memory_fixture.hpp"

namespace mxk::test {

template <typename Region> class PartitionedFixture : public MemoryTest {
  protected:
    using Table = Partitioned<Region>;

    // Cores 100, 101, ...
    static std::vector<Owner> owners(std::size_t count, std::size_t nodes) {
        std::vector<Owner> result;
        result.reserve(count);
        for (std::size_t i = 0; i < count; ++i) result.push_back({core_id(100 + i), node_id(i * nodes / count)});
        return result;
    }
    static Table create(std::size_t buckets, std::size_t regions) {
        auto table = Table::create(buckets, owners(regions, memory::node_count()));
        EXPECT_TRUE(table.ok()) << (table.ok() ? "" : table.error().message());
        return std::move(table).value();
    }
};

} // namespace mxk::test
