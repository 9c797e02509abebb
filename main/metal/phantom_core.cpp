#include "main/metal/phantom_core.hpp"

#include <algorithm>

#include "base/log.hpp"
#include "kernel/console/values.hpp"
#include "main/metal/require.hpp"

namespace mxk::metal {

topology::Topology with_phantom_core(topology::Topology const& topology, std::string_view apic_id, Arena& arena) {
    if (apic_id.empty()) return topology;
    auto const id = console::parse_count(apic_id, 0, UINT32_MAX);
    if (!id) {
        log::warn("phantom-core: {}; there is none", id.error().message());
        return topology;
    }
    auto const cores = require(arena.array<topology::Core>(topology.cores.size() + 1));
    std::copy(topology.cores.begin(), topology.cores.end(), cores.begin());
    cores.back() = {core_id(topology.cores.size()), static_cast<ApicId>(id.value()), node_id(0), 0};
    topology::Topology result = topology;
    result.cores = cores;
    return result;
}

} // namespace mxk::metal
