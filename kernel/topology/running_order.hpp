// The order in which cores that have started get their ids. The MADT's order, in which firmware may alternate between
// packages, says nothing of which are near each other.
#pragma once

#include <cstddef>
#include <span>

#include "base/arena.hpp"
#include "base/result.hpp"
#include "kernel/topology/topology.hpp"

namespace mxk::topology {

// Places in `topology.cores` of the cores that started (`started[i]` is about core i): the boot core, core 0; then the
// first hardware thread of every physical core, node by node, package by package, by APIC id; then the second ones, and
// so on, as the Linux build has them. Cores that do not know their physical core count as first threads. The only error
// is lack of memory. The boot core.
Result<std::span<std::size_t const>> running_order(Topology const& topology, std::span<bool const> started,
                                                   Arena& arena);

} // namespace mxk::topology
