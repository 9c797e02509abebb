// Fault injection: a core that is listed and does not come up.
#pragma once

#include <string_view>

#include "base/arena.hpp"
#include "kernel/topology/topology.hpp"

namespace mxk::metal {

// `phantom-core=APICID` on the command line: one core more than there is, on node 0, so that tests can see what becomes
// of a core that does not come up. `apic_id`: what the option says; the topology as it is if that is no APIC id.
topology::Topology with_phantom_core(topology::Topology const& topology, std::string_view apic_id, Arena& arena);

} // namespace mxk::metal
