// kernel/memory/memory.hpp for the model checker: memory of a run, which is at the same addresses in each.
#pragma once

#include <cstddef>

#include "base/result.hpp"
#include "base/units.hpp"
#include "tests/model/model_memory.hpp"

namespace mxk::memory {

struct Block {
    std::byte* address;
    std::size_t bytes;
    NodeId node;
};

inline Result<Block> allocate(std::size_t bytes, std::size_t alignment, NodeId node) {
    return Block{static_cast<std::byte*>(test::ModelMemory::allocate(bytes, alignment)), bytes, node};
}
inline void free(Block const& /*block*/) {}

} // namespace mxk::memory
