// In which order the cores of a node are woken, and in which order a core looks for work at others (Falt 2010, sections
// 6.5 and 6.6.1).
#pragma once

#include <cstdint>
#include <span>

#include "kernel/topology/topology.hpp"

namespace mxk::dataflow {

// Sorts `cores`: the first hardware thread of each physical core, then the second ones, and so on; by number where the
// processor does not say.
void sort_for_waking(std::span<CoreId> cores, std::span<topology::Core const> all);

// Which victims a thief prefers: those with which it shares a cache, or those with which it does not.
enum class VictimOrder : std::uint8_t { NearestFirst, FarthestFirst };

// Sorts `victims`, which are the other cores of `thief`'s node: those that share its first-level cache, then the
// second-level one and so on, then the rest, or these groups the other way round; in each of them in random order, so
// that thieves do not all go to the same victim first.
void sort_for_stealing(CoreId thief, std::span<CoreId> victims, std::span<topology::Core const> all, std::uint64_t seed,
                       VictimOrder order = VictimOrder::NearestFirst);

// The nearest cache level that two cores share: 1 to 4; 5: none, or the processor does not say.
unsigned shared_level(topology::Core const& a, topology::Core const& b);

} // namespace mxk::dataflow
