// Memory by node: an allocation names the node it wants to lie on. A node that cannot give it (or has no memory at all,
// which is legal) is helped out by the others, nearest first by the firmware's distances (ACPI SLIT, 6.5 section
// 5.2.17); the first time a node needs help is a warning, and how much it got is counted. Whole frames: for what is
// small and frequent use a CorePool, for arrays a NodeArray.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/arena.hpp"
#include "base/result.hpp"
#include "base/units.hpp"
#include "kernel/memory/frame_allocator.hpp"

namespace mxk::memory {

struct Block {
    std::byte* address;
    std::size_t bytes; // as asked for
    NodeId node;       // where it lies, which need not be where it was wanted
};

struct NodeUse {
    std::size_t total; // bytes the node has
    std::size_t used;  // bytes of them given out; superblocks that heaps have given back are not (heap/)
    std::size_t peak;  // the maximum of bytes given out since begin_peak(), those that heaps have given back among them
    std::size_t spilled; // bytes wanted here since boot that another node had to give
};

// One allocator per node, and the distances between nodes: row-major, per_node.size() squared of them. Both must live
// on (the distances only for the call); the arena keeps what is derived. Boot core, before any other core allocates;
// may be repeated when more becomes known, as long as the nodes that gave memory keep their ids. Until then there are
// no nodes.
void configure(std::span<FrameAllocator> per_node, std::span<std::uint8_t const> distances, Arena& arena);

// The allocators' locks while one core runs alone: it comes without them. Boot core, after configure().
void be_alone();
// Before another core runs: from then on all take them. Boot core.
void let_others_come();
// Whether allocations take a lock. Any core.
bool is_shared();

// `alignment`: a power of two up to 1 GiB. The memory is not zeroed. Errors: no such node; no node has the memory.
// Any core, blocks only for a node's lock, never from an interrupt handler.
Result<Block> allocate(std::size_t bytes, std::size_t alignment, NodeId node);
// A block that allocate() gave, once. Any core, as allocate().
void free(Block const& block);

// The node of a block that was allocated, by an address in it. Any core, never blocks.
NodeId node_of(void const* address);
// The node of any memory; none: it is not a node's. Any core, never blocks.
std::optional<NodeId> find_node(void const* address);

// Any core; a moment's figures when others allocate. `node` must exist.
NodeUse use(NodeId node);
// Its peak counts from now on. One at a time; any core.
void begin_peak(NodeId node);
std::size_t node_count();

} // namespace mxk::memory
