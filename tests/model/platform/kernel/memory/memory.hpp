// kernel/memory/memory.hpp for the model checker: one node, with as many blocks as a use says. A block is given out
// once, and its words are written when it is given back: a thread that still uses one races.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <new>
#include <source_location>

#include "base/arena.hpp"
#include "base/result.hpp"
#include "base/units.hpp"
#include "tests/model/model_memory.hpp"

namespace mxk {

struct FrameAllocator {
    static constexpr std::size_t frame_bytes = 256; // a small one, so that what is cut into frames is several
    static constexpr std::size_t max_alignment = 4096;
};

namespace test {

inline constexpr std::size_t model_node_bytes = std::size_t{64} * 1024; // of each thread
alignas(64 * 1024) inline std::byte model_node_memory[max_model_threads][model_node_bytes];
inline std::size_t model_node_used[max_model_threads]{};
inline std::size_t model_node_given = 0; // bytes of blocks that are not given back
// Set by a use.
inline bool model_memory_is_out = false;          // until a block is given back
inline std::size_t model_node_total = 0;          // what is said of the node
inline std::size_t model_blocks = 0;              // that can still be had
inline std::size_t model_block_bytes = 0;         // of the largest one
inline std::map<void const*, NodeId> model_nodes; // of blocks that were wanted on others than the first, by address

// In begin(), after ModelMemory::begin_run().
inline void make_model_node(std::size_t total) {
    for (std::size_t& used : model_node_used) used = 0;
    model_node_given = 0;
    model_node_total = total;
    model_blocks = std::numeric_limits<std::size_t>::max() / 2;
    model_block_bytes = model_node_bytes;
    model_nodes.clear();
}

} // namespace test

namespace memory {

struct Block {
    std::byte* address;
    std::size_t bytes;
    NodeId node;
};

struct NodeUse {
    std::size_t total;
    std::size_t used;
    std::size_t spilled;
};

inline Result<Block> allocate(std::size_t bytes, std::size_t alignment, NodeId node) {
    if (test::model_memory_is_out || test::model_blocks == 0 || bytes > test::model_block_bytes)
        return Error("out of memory");
    std::size_t const self = test::WeakMemory::current().self();
    std::size_t& used = test::model_node_used[self];
    std::size_t const start = align_up(used, alignment);
    if (start + bytes > test::model_node_bytes) std::abort();
    used = start + bytes;
    --test::model_blocks;
    test::model_node_given += bytes;
    std::byte* const address = test::model_node_memory[self] + start;
    std::memset(address, 0xa5, bytes); // what nobody has written says nothing
    if (node != NodeId{}) test::model_nodes.emplace(address, node);
    return Block{address, bytes, node};
}
inline void free(Block const& block, std::source_location from = std::source_location::current()) {
    test::WeakMemory& memory = test::WeakMemory::current();
    memory.check(block.bytes <= test::model_node_bytes, "no block is given back");
    constexpr std::size_t word = sizeof(std::uint64_t);
    new (static_cast<void*>(block.address)) test::ModelPlain<std::uint64_t>(0U); // the block itself
    test::ModelMemory::give_back(block.address + word, block.bytes - word, from);
    ++test::model_blocks;
    test::model_node_given -= block.bytes;
    test::model_memory_is_out = false;
}
// Of a block, by its address.
inline NodeId node_of(void const* address) {
    auto const found = test::model_nodes.find(address);
    return found == test::model_nodes.end() ? NodeId{} : found->second;
}
inline NodeUse use(NodeId /*node*/) {
    return {.total = test::model_node_total, .used = 0, .spilled = 0};
}
inline std::size_t node_count() {
    return 1;
}

} // namespace memory
} // namespace mxk
