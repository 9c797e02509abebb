// The topology as tools read it.
#include <limits>

#include "kernel/topology/topology.hpp"

namespace mxk::topology {
namespace {

constexpr double null = std::numeric_limits<double>::quiet_NaN(); // what the writer writes as null

void write_domain(JsonWriter& json, std::string_view name, std::uint32_t domain) {
    json.field(name, domain == unknown_domain ? FormatArgument(null) : FormatArgument(domain));
}

void write_core(JsonWriter& json, Core const& core) {
    json.begin_object();
    json.field("id", core.id);
    json.field("apic_id", core.apic_id);
    json.field("node", core.node);
    json.field("acpi_uid", core.acpi_uid == unknown_acpi_uid ? FormatArgument(null) : FormatArgument(core.acpi_uid));
    write_domain(json, "physical_core", core.levels.physical_core);
    write_domain(json, "package", core.levels.package);
    json.begin_array("caches");
    for (std::size_t i = 0; i < CoreLevels::cache_levels; ++i) {
        CacheDomain const& cache = core.levels.caches[i];
        if (cache.domain == unknown_domain) continue;
        json.begin_object();
        json.field("level", i + 1);
        json.field("domain", cache.domain);
        json.field("bytes", cache.bytes);
        json.end_object();
    }
    json.end_array();
    json.end_object();
}

void write_memory(JsonWriter& json, Node const& node) {
    json.begin_array("memory");
    for (MemoryRange const& range : node.memory) {
        json.begin_object();
        json.field("start", raw(range.start));
        json.field("bytes", range.bytes);
        json.end_object();
    }
    json.end_array();
}

// A row of one of the HMAT's matrices, to all nodes.
void write_figures(JsonWriter& json, std::string_view name, std::span<MemoryPerformance const> row,
                   std::uint64_t MemoryPerformance::*figure) {
    json.begin_array(name);
    for (MemoryPerformance const& pair : row) {
        std::uint64_t const value = pair.*figure;
        if (value == unknown_performance) {
            json.element(null);
        } else if (value == unreachable) {
            json.element("unreachable");
        } else {
            json.element(value);
        }
    }
    json.end_array();
}

void write_node(JsonWriter& json, Topology const& topology, Node const& node) {
    std::size_t const count = topology.nodes.size();
    json.begin_object();
    json.field("id", node.id);
    json.field("proximity_domain", node.proximity_domain);
    write_memory(json, node);
    json.begin_array("cores");
    for (CoreId const core : node.cores) json.element(core);
    json.end_array();
    json.begin_array("distances");
    for (Node const& to : topology.nodes) json.element(topology.distance(node.id, to.id));
    json.end_array();
    if (!topology.performance.empty()) {
        auto const row = topology.performance.subspan(index(node.id) * count, count);
        write_figures(json, "read_latency_ps", row, &MemoryPerformance::read_latency);
        write_figures(json, "write_latency_ps", row, &MemoryPerformance::write_latency);
        write_figures(json, "read_bandwidth_mb_per_s", row, &MemoryPerformance::read_bandwidth);
        write_figures(json, "write_bandwidth_mb_per_s", row, &MemoryPerformance::write_bandwidth);
    }
    json.end_object();
}

} // namespace

void write_json(JsonWriter& json, Topology const& topology) {
    json.field("listed_cores", topology.listed_cores);
    json.field("memory_known", topology.memory_is_known);
    json.field("distances_known", topology.distances_are_known);
    json.begin_array("cores");
    for (Core const& core : topology.cores) write_core(json, core);
    json.end_array();
    json.begin_array("nodes");
    for (Node const& node : topology.nodes) write_node(json, topology, node);
    json.end_array();
}

} // namespace mxk::topology
