// What the HMAT's matrices say about the nodes. A part of discover() (kernel/topology/topology.hpp), nobody else's
// business.
#pragma once

#include <cstdint>
#include <span>

#include "base/arena.hpp"
#include "base/result.hpp"
#include "kernel/topology/topology.hpp"

namespace mxk::topology {

// One entry per pair of nodes, row "initiator"; none without an HMAT that says something about a pair. `domains`:
// ascending, node i has the i-th. Domains that are no nodes are left out; where matrices contradict each other the
// first one stands; a matrix about reads or writes comes before one about both.
Result<std::span<MemoryPerformance const>> find_performance(std::span<std::uint32_t const> domains,
                                                            acpi::Tables const& tables, Arena& arena);

} // namespace mxk::topology
