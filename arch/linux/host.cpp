#include "arch/linux/host.hpp"

#include <hwloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "arch/linux/proc_sizes.hpp"

namespace mxk::arch {
namespace {

struct TopologyDeleter {
    void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using HostTopology = std::unique_ptr<hwloc_topology, TopologyDeleter>;

HostTopology load() {
    hwloc_topology_t raw_topology = nullptr;
    if (hwloc_topology_init(&raw_topology) != 0) throw std::runtime_error("hwloc: cannot begin");
    HostTopology topology(raw_topology);
    // Only what taskset and cpusets leave to this process.
    constexpr auto own = HWLOC_TOPOLOGY_FLAG_RESTRICT_TO_CPUBINDING | HWLOC_TOPOLOGY_FLAG_IS_THISSYSTEM;
    if (hwloc_topology_set_flags(topology.get(), own) != 0 || hwloc_topology_load(topology.get()) != 0)
        throw std::runtime_error("hwloc: cannot find out the topology");
    return topology;
}

// By processor number.
std::map<int, ApicId> read_apic_ids() {
    std::map<int, ApicId> result;
    std::ifstream file("/proc/cpuinfo");
    int processor = 0;
    for (std::string line; std::getline(file, line);) {
        auto const colon = line.find(':');
        if (colon == line.npos) continue;
        if (line.starts_with("processor")) processor = std::stoi(line.substr(colon + 1));
        if (line.starts_with("apicid")) result[processor] = ApicId(std::stoul(line.substr(colon + 1)));
    }
    return result;
}

// The index among `nodes` of the one nearest to the processor.
std::size_t node_of(hwloc_obj_t processor, std::vector<hwloc_obj_t> const& nodes) {
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (hwloc_bitmap_isset(nodes[i]->cpuset, processor->os_index) != 0) return i;
    return 0;
}

unsigned sibling_of(hwloc_topology_t topology, hwloc_obj_t processor) {
    hwloc_obj_t const core = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, processor);
    if (core == nullptr) return 0;
    unsigned before = 0;
    for (int i = hwloc_bitmap_first(core->cpuset); i >= 0 && i != static_cast<int>(processor->os_index);
         i = hwloc_bitmap_next(core->cpuset, i))
        ++before;
    return before;
}

std::uint32_t number_of(hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_obj_t processor) {
    hwloc_obj_t const above = hwloc_get_ancestor_obj_by_type(topology, type, processor);
    return above != nullptr ? above->logical_index : unknown_domain;
}

CoreLevels levels_of(hwloc_topology_t topology, hwloc_obj_t processor) {
    constexpr std::array<hwloc_obj_type_t, CoreLevels::cache_levels> caches{HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE,
                                                                            HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L4CACHE};
    CoreLevels levels{.physical_core = number_of(topology, HWLOC_OBJ_CORE, processor),
                      .package = number_of(topology, HWLOC_OBJ_PACKAGE, processor)};
    for (std::size_t i = 0; i < caches.size(); ++i) {
        hwloc_obj_t const cache = hwloc_get_ancestor_obj_by_type(topology, caches[i], processor);
        if (cache != nullptr) levels.caches[i] = {cache->logical_index, cache->attr->cache.size};
    }
    return levels;
}

// hwloc's order may differ from `nodes`; a pair it does not know leaves all unknown.
std::vector<std::uint8_t> read_distances(hwloc_topology_t topology, std::vector<hwloc_obj_t> const& nodes) {
    unsigned count = 1;
    hwloc_distances_s* found = nullptr;
    if (hwloc_distances_get_by_name(topology, "NUMALatency", &count, &found, 0) != 0 || count == 0) return {};
    std::vector<std::uint8_t> result;
    for (hwloc_obj_t const from : nodes) {
        for (hwloc_obj_t const to : nodes) {
            hwloc_uint64_t there = 0;
            hwloc_uint64_t back = 0;
            if (hwloc_distances_obj_pair_values(found, from, to, &there, &back) != 0) break;
            result.push_back(static_cast<std::uint8_t>(std::min<hwloc_uint64_t>(there, 255)));
        }
    }
    hwloc_distances_release(topology, found);
    if (result.size() != nodes.size() * nodes.size()) result.clear();
    return result;
}

// What a limit of the shell (ulimit -v, -d) leaves beyond what the process has mapped.
std::optional<std::uint64_t> limit_leaves(__rlimit_resource which, char const* mapped) {
    rlimit limit{};
    if (getrlimit(which, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
    auto const sizes = read_proc_sizes("/proc/self/status");
    auto const used = sizes.find(mapped);
    return limit.rlim_cur - std::min<std::uint64_t>(limit.rlim_cur, used != sizes.end() ? used->second : 0);
}

} // namespace

Host read_host() {
    HostTopology const topology = load();
    Host host;
    std::vector<hwloc_obj_t> nodes;
    hwloc_obj_t node = nullptr;
    while ((node = hwloc_get_next_obj_by_type(topology.get(), HWLOC_OBJ_NUMANODE, node)) != nullptr) {
        nodes.push_back(node);
        host.nodes.push_back({static_cast<int>(node->os_index), node->attr->numanode.local_memory});
    }
    if (host.nodes.empty()) host.nodes.push_back({-1, 0});

    auto const apic_ids = read_apic_ids();
    std::multimap<std::pair<unsigned, std::size_t>, HostCpu> in_order; // equal keys stay as hwloc has them
    hwloc_obj_t processor = nullptr;
    while ((processor = hwloc_get_next_obj_by_type(topology.get(), HWLOC_OBJ_PU, processor)) != nullptr) {
        auto const number = static_cast<int>(processor->os_index);
        auto const known = apic_ids.find(number);
        HostCpu const cpu{number, known != apic_ids.end() ? known->second : ApicId(processor->os_index),
                          node_of(processor, nodes), sibling_of(topology.get(), processor),
                          levels_of(topology.get(), processor)};
        in_order.emplace(std::pair(cpu.sibling, cpu.node), cpu);
    }
    for (auto const& [key, cpu] : in_order) host.cpus.push_back(cpu);
    if (host.cpus.empty()) throw std::runtime_error("hwloc: no processor that this process may use");
    host.distances = read_distances(topology.get(), nodes);
    return host;
}

std::optional<std::uint64_t> available_memory_bytes(ControlGroup const& group) {
    auto const sizes = read_proc_sizes("/proc/meminfo");
    auto const found = sizes.find("MemAvailable");
    std::optional<std::uint64_t> available;
    if (found != sizes.end()) available = found->second;
    for (auto const left : {group.memory_left, limit_leaves(RLIMIT_AS, "VmSize"), limit_leaves(RLIMIT_DATA, "VmData")})
        if (left) available = std::min(available.value_or(*left), *left);
    return available;
}

} // namespace mxk::arch
