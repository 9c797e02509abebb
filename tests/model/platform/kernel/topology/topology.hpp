// kernel/topology/topology.hpp for the model checker: cores of one node.
#pragma once

#include "base/units.hpp"

namespace mxk::topology {

struct Core {
    CoreId id{};
    NodeId node{};
};

} // namespace mxk::topology
