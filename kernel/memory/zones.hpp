// What is free of a node besides its amount (memory.hpp).
#pragma once

#include <cstddef>

#include "base/units.hpp"

namespace mxk::memory {

// Bytes of the largest piece that an allocation could have. `node` must exist. Any core; blocks for the node's lock.
std::size_t largest_free_block(NodeId node);

} // namespace mxk::memory
