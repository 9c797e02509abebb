#include "main/metal/start_memory.hpp"

#include "arch/x86_64/memory/layout.hpp"
#include "arch/x86_64/memory/memory_source.hpp"
#include "kernel/memory/memory.hpp"
#include "main/metal/require.hpp"

namespace mxk::metal {
namespace {

constinit RangeSet* unclaimed = nullptr; // memory before it is split by node

std::optional<arch::SourceBlock> take_node_memory(std::size_t bytes, std::size_t alignment, NodeId node) {
    auto const block = memory::allocate(bytes, alignment, node);
    if (!block) return std::nullopt;
    return arch::SourceBlock{block.value().address, block.value().bytes, block.value().node};
}

void give_node_memory(arch::SourceBlock const& block) {
    memory::free({block.address, block.bytes, block.node});
}

} // namespace

void begin_memory(RangeSet& free) {
    unclaimed = &free;
}

std::span<std::byte> early_memory(std::size_t bytes) {
    if (unclaimed == nullptr) return {};
    std::uint64_t const whole = align_up(bytes, arch::page_bytes);
    auto const place = unclaimed->take(whole, arch::page_bytes, static_cast<PhysicalAddress>(UINT64_MAX));
    return place ? std::span(arch::to_virtual(*place), whole) : std::span<std::byte>();
}

std::span<std::byte> late_memory(std::size_t bytes) {
    std::size_t const whole = align_up(bytes, arch::page_bytes);
    auto const block = memory::allocate(whole, arch::page_bytes, node_id(0));
    return block ? std::span(block.value().address, whole) : std::span<std::byte>();
}

void split_memory(topology::Topology const& topology, Arena& arena) {
    auto const allocators = require(arena.array<FrameAllocator>(topology.nodes.size()));
    memory::configure(allocators, topology.distances, arena);
    memory::be_alone();
    RangeSet const& free = *unclaimed; // complete: the arena was used for the last time
    for (topology::Node const& node : topology.nodes) {
        for (MemoryRange const& range : node.memory) {
            for (MemoryRange const& piece : free.ranges()) {
                MemoryRange const part = intersection(range, piece);
                if (part.bytes > 0) allocators[index(node.id)].add({arch::to_virtual(part.start), part.bytes});
            }
        }
    }
    unclaimed = nullptr;
    arch::set_memory_source({&take_node_memory, &give_node_memory});
}

} // namespace mxk::metal
