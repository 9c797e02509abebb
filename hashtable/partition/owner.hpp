#pragma once

#include "base/units.hpp"

namespace mxk {

// A core that owns a part of a table, and the node that the part's memory is to come from.
struct Owner {
    CoreId core;
    NodeId node;
};

} // namespace mxk
