#include "bench/frame/ready_memory.hpp"

#include <algorithm>

#include "kernel/memory/memory.hpp"

namespace mxk::bench {
namespace {

// Gives how many it was.
std::size_t touch(std::size_t bytes, NodeId node) {
    auto memory = memory::allocate(bytes, FrameAllocator::frame_bytes, node);
    for (; !memory && bytes > FrameAllocator::frame_bytes;
         memory = memory::allocate(bytes, FrameAllocator::frame_bytes, node))
        bytes /= 2;
    if (!memory) return 0;
    memory::Block const& block = memory.value();
    for (std::size_t at = 0; at < block.bytes; at += FrameAllocator::frame_bytes) {
        // As a volatile object: what is only given back afterwards need not be written for the compiler.
        static_cast<std::byte volatile&>(block.address[at]) = std::byte{0};
    }
    memory::free(block);
    return block.bytes;
}

} // namespace

std::size_t make_memory_ready(std::size_t bytes_each, std::span<Owner const> owners) {
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < memory::node_count(); ++i) {
        // All of a node's at once: what one owner's share was given back from is where the next one's would come from.
        NodeId const node = node_id(i);
        auto const here = std::count_if(owners.begin(), owners.end(), [&](Owner const& it) { return it.node == node; });
        if (here != 0) bytes += touch(bytes_each * static_cast<std::size_t>(here), node);
    }
    return bytes;
}

} // namespace mxk::bench
