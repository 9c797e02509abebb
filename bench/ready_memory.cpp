#include "bench/ready_memory.hpp"

#include "kernel/memory/memory.hpp"

namespace mxk::bench {

void make_memory_ready(std::size_t bytes, NodeId node) {
    auto memory = memory::allocate(bytes, FrameAllocator::frame_bytes, node);
    for (; !memory && bytes > FrameAllocator::frame_bytes;
         memory = memory::allocate(bytes, FrameAllocator::frame_bytes, node))
        bytes /= 2;
    if (!memory) return;
    memory::Block const& block = memory.value();
    for (std::size_t at = 0; at < block.bytes; at += FrameAllocator::frame_bytes) {
        // As a volatile object: what is only given back afterwards need not be written for the compiler.
        static_cast<std::byte volatile&>(block.address[at]) = std::byte{0};
    }
    memory::free(block);
}

} // namespace mxk::bench
