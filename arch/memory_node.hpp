// On which node of the system below memory lies that is not a node's of ours. A bare machine has no other.
#pragma once

#include <cstdint>
#include <optional>

namespace mxk::arch {

// The proximity domain (kernel/topology/topology.hpp) of the page at this address. None: nobody knows, or it has no
// page yet. Any core or thread; asks the system.
std::optional<std::uint32_t> node_of_memory(void const* address);

} // namespace mxk::arch
