// Memory, and the tables that grow block by block with every layout and with keys of several kinds.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "hashtable/layout/chain_heads.hpp"
#include "hashtable/layout/cuckoo_slots.hpp"
#include "hashtable/layout/open_slots.hpp"
#include "hashtable/layout/pair_buckets.hpp"
#include "tests/unit/growing_table.hpp"
#include "tests/unit/memory_fixture.hpp"

namespace mxk::test {

using NamedNode = KeyedNode<Bytes<16>>;
using OpenTables =
    testing::Types<Extendible<OpenSlots<>>, Extendible<OpenSlots<Bytes<16>>>, Extendible<OpenSlots<Bytes<32>>>>;
using CuckooTables =
    testing::Types<Extendible<CuckooSlots<>>, Extendible<CuckooSlots<Bytes<16>>>, Extendible<CuckooSlots<Bytes<32>>>>;
using AllTables =
    testing::Types<Extendible<OpenSlots<>>, Extendible<OpenSlots<Bytes<16>>>, Extendible<OpenSlots<Bytes<32>>>,
                   Extendible<CuckooSlots<>>, Extendible<CuckooSlots<Bytes<16>>>, Extendible<CuckooSlots<Bytes<32>>>,
                   Extendible<PairBuckets>, Extendible<ChainHeads<>>, Extendible<ChainHeads<NamedNode>>>;

// The share of all keys that leaves a table few cells to begin with: so that some thousand keys make it grow.
template <typename Cells> constexpr LeadingBits small_share() {
    if constexpr (requires { Cells::least_cells; }) return {.count = 5, .value = 0x15};
    return {};
}

// What a block of full size has.
template <typename Cells>
constexpr std::size_t most_slots_of_block =
    std::min(Cells::block_bytes / sizeof(typename Cells::Cell), Block::most_cells) * Cells::keys_per_cell;

template <typename Table> class ExtendibleTest : public MemoryTest {
  protected:
    static constexpr std::size_t block_slots = most_slots_of_block<typename Table::Layout>;
    static constexpr LeadingBits few = small_share<typename Table::Layout>();
};

} // namespace mxk::test
