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
// Each layout with keys of 8 bytes and with longer ones: all lengths take the same way.
using OpenTables = testing::Types<Extendible<OpenSlots<>>, Extendible<OpenSlots<Bytes<32>>>>;
using CuckooTables = testing::Types<Extendible<CuckooSlots<>>, Extendible<CuckooSlots<Bytes<16>>>>;
using AllTables =
    testing::Types<Extendible<OpenSlots<>>, Extendible<OpenSlots<Bytes<32>>>, Extendible<CuckooSlots<>>,
                   Extendible<CuckooSlots<Bytes<16>>>, Extendible<PairBuckets>, Extendible<ChainHeads<NamedNode>>>;

// The part of all keys that leaves a table few cells to begin with: so that some thousand keys make it grow.
template <typename Cells> constexpr HashPrefix small_prefix() {
    if constexpr (requires { Cells::min_cells; }) return {.bits = 5, .value = 0x15};
    return {};
}

// What a block of full size has.
template <typename Cells>
constexpr std::size_t max_slots_of_block =
    std::min(Cells::block_bytes / sizeof(typename Cells::Cell), Block::max_cells) * Cells::keys_per_cell;

template <typename Table> class ExtendibleTest : public MemoryTest {
  protected:
    static constexpr std::size_t block_slots = max_slots_of_block<typename Table::Layout>;
    static constexpr HashPrefix few = small_prefix<typename Table::Layout>();
};

} // namespace mxk::test
