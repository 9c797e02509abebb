// The topology of the machine this kernel runs on: found at boot, then constant. Any core may read it.
#pragma once

#include "kernel/topology/topology.hpp"

namespace mxk {

topology::Topology const& system_topology();

// The boot core, before the others are released.
void set_system_topology(topology::Topology const& topology);

} // namespace mxk
