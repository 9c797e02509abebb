// Where arch/ gets memory once memory is split by node: page tables, stacks, per-core structures.
#pragma once

#include <cstddef>
#include <optional>

#include "base/units.hpp"

namespace mxk::arch {

// Direct-mapped.
struct SourceBlock {
    std::byte* address = nullptr;
    std::size_t bytes = 0;
    NodeId node{}; // where it lies, which need not be where it was wanted
};

struct MemorySource {
    // Not cleared; nothing if there is none on any node. Whole frames; `alignment`: a power of two.
    std::optional<SourceBlock> (*take)(std::size_t bytes, std::size_t alignment, NodeId node) = nullptr;
    // What take() gave, once.
    void (*give)(SourceBlock const& block) = nullptr;
};

// The boot core, before others allocate; tests put one in between, and the old one back. Gives the one before.
MemorySource set_memory_source(MemorySource const& source);

// Any core, tasks and threads; blocks only for a node's lock. Before there is a source: nothing.
std::optional<SourceBlock> take_memory(std::size_t bytes, std::size_t alignment, NodeId node);
void give_memory(SourceBlock const& block);

} // namespace mxk::arch
