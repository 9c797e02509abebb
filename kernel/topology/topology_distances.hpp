// The distances between nodes as the topology has them: from the SLIT, with what it gets wrong said. Part of
// discover().
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/arena.hpp"
#include "base/result.hpp"
#include "kernel/acpi/tables.hpp"
#include "kernel/topology/topology.hpp"

namespace mxk::topology {

struct FoundDistances {
    std::span<std::uint8_t const> distances;
    bool are_known; // false: those of several nodes are assumed
};

// domains x domains, row "from". Without a valid SLIT that has a row for each of `domains` (ascending, one or more):
// 10 local, 20 remote. One WARN for each kind of fault: no valid SLIT; another domain as near as the own one; distances
// that are others on the way back. The only error is lack of memory. Boot core; does not block.
Result<FoundDistances> find_distances(std::span<std::uint32_t const> domains, acpi::Tables const& tables, Arena& arena);

// One WARN where the HMAT says that the memory of a node is read in less time than that of another which the SLIT puts
// nearer. Silent where the two say nothing of the same nodes. Boot core; does not block.
void compare_with_performance(std::size_t nodes, std::span<std::uint8_t const> distances,
                              std::span<MemoryPerformance const> performance, acpi::WarningSink& warnings);

} // namespace mxk::topology
