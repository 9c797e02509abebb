// Orders in which the cores of a machine are taken when a set of `n` of them is wanted. A part of core_set.hpp.
#pragma once

#include <span>

#include "base/result.hpp"
#include "kernel/memory/node_vector.hpp"
#include "kernel/topology/topology.hpp"

namespace mxk::topology {

// Any first n are spread over packages, nodes, last-level caches and physical cores as evenly as there is room.
Result<NodeVector<CoreId>> spread_order(Topology const& topology, NodeId home);
// Any first n fill node after node, and there package after package, cache after cache, physical core after physical
// core.
Result<NodeVector<CoreId>> pack_order(Topology const& topology, NodeId home);
// The first core by id of each physical core. Errors: physical cores are not known.
Result<NodeVector<CoreId>> physical_order(Topology const& topology, NodeId home);
// All cores of physical cores with more than one, side by side. Errors: not known, none.
Result<NodeVector<CoreId>> sibling_order(Topology const& topology, NodeId home);

} // namespace mxk::topology
