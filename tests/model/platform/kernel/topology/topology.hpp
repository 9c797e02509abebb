// kernel/topology/topology.hpp for the model checker: cores of one node.
#pragma once

#include <span>

#include "base/units.hpp"

namespace mxk::topology {

struct Core {
    CoreId id{};
    NodeId node{};
};

struct Topology {
    std::span<Core const> cores;
};

} // namespace mxk::topology
