// From cores that the firmware lists to workers that run.
#pragma once

#include "base/arena.hpp"
#include "kernel/acpi/madt.hpp"
#include "kernel/topology/topology.hpp"

namespace mxk::metal {

// Starts all cores, makes the topology of those that came up the system's, and lets all but the calling one, the boot
// core, enter their workers. Gives that topology.
topology::Topology start_cores(topology::Topology const& topology, acpi::InterruptModel const& interrupts,
                               Arena& arena);

} // namespace mxk::metal
