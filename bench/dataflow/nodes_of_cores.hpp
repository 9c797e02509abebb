// The nodes of a set of cores, for benchmarks that need several, or one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "base/units.hpp"
#include "kernel/topology/system_topology.hpp"

namespace mxk::bench {

// How many of this machine's nodes have a core among these.
inline std::size_t count_nodes(std::span<CoreId const> cores) {
    auto const nodes = system_topology().nodes;
    return static_cast<std::size_t>(std::ranges::count_if(nodes, [&](topology::Node const& node) {
        return std::ranges::any_of(cores,
                                   [&](CoreId core) { return system_topology().cores[index(core)].node == node.id; });
    }));
}

} // namespace mxk::bench
