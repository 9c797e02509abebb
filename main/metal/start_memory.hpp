// Memory while the kernel starts. Firmware tables need some before it is known which node has what: so it comes from
// the whole of RAM first, and by node once the topology is known.
#pragma once

#include <cstddef>
#include <span>

#include "base/arena.hpp"
#include "base/range_set.hpp"
#include "kernel/topology/topology.hpp"

namespace mxk::metal {

// From here until split_memory(), early_memory() takes what it gives from `free`. The boot core, as all below.
void begin_memory(RangeSet& free);

// For arenas whose memory lives as long as the kernel: before memory is split by node, and after (node 0 first).
std::span<std::byte> early_memory(std::size_t bytes);
std::span<std::byte> late_memory(std::size_t bytes);

// Every node gets what is still free of its memory. `arena`: over early_memory(), and used for the last time.
void split_memory(topology::Topology const& topology, Arena& arena);

} // namespace mxk::metal
