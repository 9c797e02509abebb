#include "bench/lock/contended_experiment.hpp"

#include <initializer_list>

#include "kernel/console/named.hpp"

namespace mxk::bench {

locks::LockForm const& form_on(LockFabric fabric, locks::LockKind const& kind) {
    return fabric == LockFabric::Emu ? kind.forms.emulated : kind.forms.smp;
}

locks::LockForm const& counting_form_on(LockFabric fabric, locks::LockKind const& kind) {
    bool const counts = fabric == LockFabric::Smp && kind.forms.counting.is_there();
    return counts ? kind.forms.counting : form_on(fabric, kind);
}

LockNames default_locks(LockFabric fabric) {
    LockNames names;
    auto const add = [&](std::initializer_list<std::string_view> wanted) {
        for (std::string_view const name : wanted)
            if (auto const* const kind = console::find_by_name(locks::registered_lock_kinds(), name)) names.add(*kind);
    };
    if (fabric == LockFabric::Emu)
        add({"mcs", "clh", "clh-numa", "rma-mcs", "c-mcs-mcs", "c-mcs-hem", "c-mcs-mcs-message", "shfl", "mcs-tas"});
    else
        add({"tas", "tts", "ticket", "mcs", "clh", "hemlock-ctr", "c-mcs-mcs", "c-mcs-hem", "hmcs", "shfl"});
    return names;
}

Result<locks::StoredTopology> topology_for(LockOptions const& options, std::span<CoreId const> cores) {
    if (options.nodes == 0) return locks::StoredTopology::of_machine();
    return locks::StoredTopology::made_up(cores, options.nodes);
}

std::size_t region_bytes_for(locks::LockTopology const& topology, std::size_t count) {
    // Each part of a lock is one record in the region, or one for each group; the largest have three of six lines.
    std::size_t const groups = topology.groups(locks::Level::Cache) + topology.groups(locks::Level::Node);
    constexpr std::size_t of_group = 8 * cache_line_bytes;
    constexpr std::size_t of_lock = 32 * cache_line_bytes;
    return count * (of_lock + groups * of_group);
}

Result<std::optional<locks::Emulated>> emulated_for(LockOptions const& options, locks::LockTopology const& topology,
                                                    std::size_t count) {
    std::optional<locks::Emulated> emulated;
    if (options.fabric == LockFabric::Smp) return emulated;
    auto const cycles = [](std::uint64_t nanoseconds) { return clock::to_cycles(Nanoseconds{nanoseconds}); };
    emulated = MXK_TRY(locks::Emulated::create(topology, region_bytes_for(topology, count),
                                               {.latency = cycles(options.latency),
                                                .near_latency = cycles(options.near_latency),
                                                .service = cycles(options.service)}));
    return emulated;
}

double found(Row const& row, std::string_view name) {
    for (auto const& entry : row.findings.entries())
        if (entry.name == name) return entry.value;
    return 0;
}

double operations_of(Row const& row) {
    return found(row, "operations_home") + found(row, "operations_others") + found(row, "operations_near") +
           found(row, "messages");
}

void print_lock_details(TextSink& out, Row const& row) {
    auto const has = [&](std::string_view name) {
        for (auto const& entry : row.findings.entries())
            if (entry.name == name) return true;
        return false;
    };
    format(out, "  {:.1} ns", found(row, "iteration_ns"));
    if (has("overhead_ns")) format(out, ", overhead {:.1} ns", found(row, "overhead_ns"));
    format(out, "; of a worker {:.0}, {:.0}, {:.0} (variation {:.2} %)", found(row, "iterations_min"),
           found(row, "iterations_median"), found(row, "iterations_max"), found(row, "variation_pct"));
    if (has("contention_pct")) format(out, "; delayed {:.2} %", found(row, "contention_pct"));
    if (has("local_pct")) format(out, "; local {:.2} %", found(row, "local_pct"));
    format(out, "; node changes {:.3}, bypass up to {:.0}\n", found(row, "node_changes"), found(row, "max_bypass"));
    if (has("operations_home"))
        format(out, "  operations for each: home {:.3}, other nodes' {:.3}, own node's {:.3}, messages {:.3}\n",
               found(row, "operations_home"), found(row, "operations_others"), found(row, "operations_near"),
               found(row, "messages"));
}

void write_lock_settings(JsonWriter& json, LockOptions const& options, locks::LockKind const& kind) {
    json.field("lock", kind.name);
    json.field("library", kind.library.empty() ? std::string_view("none") : kind.library);
    json.field("fairness", locks::name_of(kind.fairness));
    json.field("fabric", name_of(options.fabric));
    json.field("nodes", options.nodes == 0 ? std::uint64_t{system_topology().nodes.size()} : options.nodes);
    json.field("made_up", options.nodes != 0);
    if (options.fabric == LockFabric::Emu) {
        json.field("latency_ns", options.latency);
        json.field("near_latency_ns", options.near_latency);
        json.field("service_ns", options.service);
    }
    json.field("passes", options.passes);
    auto const& form = form_on(options.fabric, kind);
    json.field("lock_bytes", std::uint64_t{form.bytes});
    json.field("node_bytes", std::uint64_t{form.node_bytes});
}

} // namespace mxk::bench
