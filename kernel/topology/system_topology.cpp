#include "kernel/topology/system_topology.hpp"

namespace mxk {
namespace {

constinit topology::Topology current{};

} // namespace

topology::Topology const& system_topology() {
    return current;
}
void set_system_topology(topology::Topology const& topology) {
    current = topology;
}

} // namespace mxk
