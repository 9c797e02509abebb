// kernel/memory/memory.hpp for the model checker: one node, whose memory is as large as a use says. A block is given
// out once. What a block was used for comes before its end, or that is a race; a block ends once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/arena.hpp"
#include "base/result.hpp"
#include "base/units.hpp"
#include "kernel/memory/node_array.hpp"
#include "tests/model/model_memory.hpp"

namespace mxk::test {

inline constexpr std::size_t model_node_bytes = std::size_t{64} * 1024; // of each thread
alignas(64 * 1024) inline std::byte model_node_memory[max_model_threads][model_node_bytes];
inline std::size_t model_node_used[max_model_threads]{};
inline std::size_t model_node_total = 0; // what is said of the node; set by a use
inline std::size_t model_node_given = 0; // bytes of blocks that have not ended

// In begin(), after ModelMemory::begin_run().
inline void make_model_node(std::size_t total) {
    for (std::size_t& used : model_node_used) used = 0;
    model_node_total = total;
    model_node_given = 0;
}

} // namespace mxk::test

namespace mxk::memory {

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
    if (test::model_memory_is_out) return Error("out of memory");
    std::size_t const self = test::WeakMemory::current().self();
    std::size_t& used = test::model_node_used[self];
    std::size_t const start = align_up(used, alignment);
    if (start + bytes > test::model_node_bytes) std::abort();
    used = start + bytes;
    test::model_node_given += bytes;
    std::byte* const address = test::model_node_memory[self] + start;
    std::memset(address, 0xa5, bytes); // what nobody has written says nothing
    return Block{address, bytes, node};
}
// Its first byte stands for it.
inline void free(Block const& block) {
    new (static_cast<void*>(block.address)) test::ModelPlain<std::uint64_t>(0U);
    test::model_node_given -= block.bytes;
    test::model_memory_is_out = false;
}
inline NodeId node_of(void const* /*address*/) {
    return NodeId{};
}
inline NodeUse use(NodeId /*node*/) {
    return {.total = test::model_node_total, .used = 0, .spilled = 0};
}
inline std::size_t node_count() {
    return 1;
}

} // namespace mxk::memory
