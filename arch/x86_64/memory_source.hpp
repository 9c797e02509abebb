// Where arch/ gets memory once memory is split by node: page tables, stacks, per-core structures.
#pragma once

#include <cstddef>

#include "base/units.hpp"

namespace mxk::arch {

// Direct-mapped memory, not cleared; nullptr if there is none on any node.
using MemorySource = std::byte* (*)(std::size_t bytes, std::size_t alignment, NodeId node);

void set_memory_source(MemorySource source);
std::byte* take_memory(std::size_t bytes, std::size_t alignment, NodeId node);

} // namespace mxk::arch
