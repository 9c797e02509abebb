// Memory for the cells of blocks: whole frames from a node, whose first cache line keeps what free() wants to know.
//
//     | where this memory comes from | cell | cell | ...
#pragma once

#include <cstddef>
#include <new>

#include "base/units.hpp"
#include "kernel/memory/memory.hpp"

namespace mxk::block_memory {

struct alignas(cache_line_bytes) Header {
    memory::Block memory;
};
static_assert(sizeof(Header) == cache_line_bytes);

// Room for cells of so many bytes, which hold anything, on `node` or near it; null if there is no memory. Any core; may
// block for the allocator's lock.
[[nodiscard]] inline void* allocate(std::size_t bytes, NodeId node) {
    auto const memory = memory::allocate(sizeof(Header) + bytes, cache_line_bytes, node);
    if (!memory) return nullptr;
    return new (static_cast<void*>(memory.value().address)) Header{memory.value()} + 1;
}

[[nodiscard]] inline memory::Block memory_of(void const* cells) {
    return (static_cast<Header const*>(cells) - 1)->memory;
}
[[nodiscard]] inline std::size_t bytes_of(void const* cells) {
    return align_up(memory_of(cells).bytes, FrameAllocator::frame_bytes);
}

inline void free(void* cells) {
    memory::free(memory_of(cells));
}

} // namespace mxk::block_memory
