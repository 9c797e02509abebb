#include "kernel/topology/topology.hpp"

#include <algorithm>
#include <optional>

#include "base/panic.hpp"
#include "kernel/acpi/madt.hpp"
#include "kernel/acpi/srat.hpp"
#include "kernel/topology/topology_distances.hpp"
#include "kernel/topology/topology_memory.hpp"
#include "kernel/topology/topology_performance.hpp"

namespace mxk::topology {
namespace {

using Domain = std::optional<std::uint32_t>; // none: the firmware does not say

// The boot core, then the others in MADT order. Their nodes are not known yet.
Result<std::span<Core>> list_cores(acpi::Processors const& listed, ApicId boot_core, acpi::WarningSink& warnings,
                                   Arena& arena) {
    auto const is_boot_core = [=](acpi::Processor const& processor) { return processor.apic_id == boot_core; };
    auto const boot = std::find_if(listed.enabled.begin(), listed.enabled.end(), is_boot_core);
    bool const is_boot_core_listed = boot != listed.enabled.end();
    if (listed.enabled.empty()) {
        warnings.warn("ACPI: no MADT with an enabled processor: this core, APIC id {}, is the only one", boot_core);
    } else if (!is_boot_core_listed) {
        warnings.warn("ACPI: the MADT does not enable the core that runs, APIC id {}; added", boot_core);
    }

    std::size_t const others = listed.enabled.size() - (is_boot_core_listed ? 1 : 0);
    std::span<Core> const cores = MXK_TRY(arena.array<Core>(1 + others));
    cores[0] = {core_id(0), boot_core, node_id(0), is_boot_core_listed ? boot->acpi_uid : unknown_acpi_uid};
    std::size_t next = 1;
    for (acpi::Processor const& processor : listed.enabled) {
        if (is_boot_core(processor)) continue;
        cores[next] = {core_id(next), processor.apic_id, node_id(0), processor.acpi_uid};
        ++next;
    }
    return cores;
}

// The proximity domain of each core. Nothing to warn about if there is no SRAT.
Result<std::span<Domain const>> domains_of(std::span<Core const> cores, std::optional<acpi::Affinities> const& srat,
                                           acpi::WarningSink& warnings, Arena& arena) {
    std::span<Domain> const domains = MXK_TRY(arena.array<Domain>(cores.size()));
    if (!srat) return std::span<Domain const>(domains);

    std::span<acpi::ProcessorAffinity> const known =
        MXK_TRY(arena.array<acpi::ProcessorAffinity>(srat->processors.size()));
    std::copy(srat->processors.begin(), srat->processors.end(), known.begin());
    std::sort(known.begin(), known.end(), [](auto const& a, auto const& b) {
        return a.apic_id != b.apic_id ? a.apic_id < b.apic_id : a.proximity_domain < b.proximity_domain;
    });
    std::size_t unknown = 0;
    std::size_t ambiguous = 0;
    for (std::size_t i = 0; i < cores.size(); ++i) {
        auto const entry = std::lower_bound(known.begin(), known.end(), cores[i].apic_id,
                                            [](auto const& a, ApicId id) { return a.apic_id < id; });
        if (entry == known.end() || entry->apic_id != cores[i].apic_id) {
            ++unknown;
            continue;
        }
        domains[i] = entry->proximity_domain;
        auto const second = entry + 1;
        bool const named_twice = second != known.end() && second->apic_id == entry->apic_id;
        if (named_twice && second->proximity_domain != entry->proximity_domain) ++ambiguous;
    }
    if (unknown != 0)
        warnings.warn("ACPI: SRAT does not name {} of {} cores; they go to node 0", unknown, cores.size());
    if (ambiguous != 0) warnings.warn("ACPI: SRAT puts {} cores in several domains; the lowest is taken", ambiguous);
    return std::span<Domain const>(domains);
}

// The domains that have a core or memory, ascending: node i is the i-th. One made up if the firmware names none.
Result<std::span<std::uint32_t const>> used_domains(std::span<Domain const> of_cores,
                                                    std::span<PlacedMemory const> memory, Arena& arena) {
    std::span<std::uint32_t> const used = MXK_TRY(arena.array<std::uint32_t>(of_cores.size() + memory.size()));
    auto end = used.begin();
    for (Domain const& domain : of_cores) {
        if (domain) *end++ = *domain;
    }
    for (PlacedMemory const& piece : memory) {
        if (piece.proximity_domain) *end++ = *piece.proximity_domain;
    }
    if (end == used.begin()) *end++ = 0; // there is always room: the boot core has an entry in `of_cores`
    std::sort(used.begin(), end);
    return std::span<std::uint32_t const>(used.begin(), std::unique(used.begin(), end));
}

// `domain` is one of `domains`, or none: `otherwise`.
NodeId node_of(Domain domain, std::span<std::uint32_t const> domains, NodeId otherwise) {
    if (!domain) return otherwise;
    auto const place = std::lower_bound(domains.begin(), domains.end(), *domain);
    return node_id(static_cast<std::size_t>(place - domains.begin()));
}

// Sets each node's memory; RAM of no domain goes to `home`.
Result<void> share_memory(std::span<Node> nodes, std::span<std::uint32_t const> domains, NodeId home,
                          std::span<PlacedMemory const> memory, Arena& arena) {
    struct Owned {
        NodeId node;
        MemoryRange range;
    };
    std::span<Owned> const owned = MXK_TRY(arena.array<Owned>(memory.size()));
    std::transform(memory.begin(), memory.end(), owned.begin(), [&](PlacedMemory const& piece) {
        return Owned{node_of(piece.proximity_domain, domains, home),
                     {PhysicalAddress{piece.start}, piece.end - piece.start}};
    });
    std::sort(owned.begin(), owned.end(), [](Owned const& a, Owned const& b) {
        return a.node != b.node ? a.node < b.node : a.range.start < b.range.start;
    });

    std::span<MemoryRange> const ranges = MXK_TRY(arena.array<MemoryRange>(owned.size()));
    std::size_t count = 0;
    auto piece = owned.begin();
    for (Node& node : nodes) {
        std::size_t const first = count;
        for (; piece != owned.end() && piece->node == node.id; ++piece) {
            bool const continues =
                count != first && ranges[count - 1].start + ranges[count - 1].bytes == piece->range.start;
            if (continues) {
                ranges[count - 1].bytes += piece->range.bytes;
            } else {
                ranges[count++] = piece->range;
            }
        }
        node.memory = ranges.subspan(first, count - first);
    }
    return {};
}

// Sets each node's list of cores from what the cores say.
Result<void> share_cores(std::span<Node> nodes, std::span<Core const> cores, Arena& arena) {
    std::span<CoreId> const ids = MXK_TRY(arena.array<CoreId>(cores.size()));
    std::transform(cores.begin(), cores.end(), ids.begin(), [](Core const& core) { return core.id; });
    std::sort(ids.begin(), ids.end(), [=](CoreId a, CoreId b) {
        NodeId const node_a = cores[index(a)].node;
        NodeId const node_b = cores[index(b)].node;
        return node_a != node_b ? node_a < node_b : a < b;
    });
    std::size_t at = 0;
    for (Node& node : nodes) {
        std::size_t const first = at;
        while (at < ids.size() && cores[index(ids[at])].node == node.id) ++at;
        node.cores = ids.subspan(first, at - first);
    }
    return {};
}

void warn_of_uncovered(std::span<PlacedMemory const> memory, NodeId home, acpi::WarningSink& warnings) {
    std::uint64_t bytes = 0;
    for (PlacedMemory const& piece : memory) bytes += piece.proximity_domain ? 0 : piece.end - piece.start;
    if (bytes != 0) warnings.warn("ACPI: SRAT does not cover {} KiB of RAM; they go to node {}", bytes / KiB, home);
}

} // namespace

Result<Topology> discover(acpi::Tables const* tables, ApicId boot_core, std::span<MemoryRange const> usable_memory,
                          Arena& arena) {
    acpi::Tables const known = tables != nullptr ? *tables : acpi::Tables();
    acpi::Processors const listed = MXK_TRY(acpi::processors(known, arena));
    std::optional<acpi::Affinities> const srat = MXK_TRY(acpi::affinities(known, arena));

    acpi::WarningSink& warnings = known.warnings();
    std::span<Core> const cores = MXK_TRY(list_cores(listed, boot_core, warnings, arena));
    std::span<Domain const> const core_domains = MXK_TRY(domains_of(cores, srat, warnings, arena));
    acpi::Affinities const affinities = srat.value_or(acpi::Affinities{});
    auto const placed = MXK_TRY(place_memory(affinities.memory, usable_memory, warnings, arena));
    std::uint64_t non_volatile = 0;
    auto const memory = MXK_TRY(without_non_volatile(placed, affinities.non_volatile, non_volatile, warnings, arena));
    auto const domains = MXK_TRY(used_domains(core_domains, memory, arena));

    for (std::size_t i = 0; i < cores.size(); ++i) cores[i].node = node_of(core_domains[i], domains, node_id(0));
    NodeId const home = cores[0].node;
    if (srat) warn_of_uncovered(memory, home, warnings);

    std::span<Node> const nodes = MXK_TRY(arena.array<Node>(domains.size()));
    for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i] = {node_id(i), domains[i], {}, {}};
    MXK_TRY(share_memory(nodes, domains, home, memory, arena));
    MXK_TRY(share_cores(nodes, cores, arena));
    auto const [distances, distances_are_known] = MXK_TRY(find_distances(domains, known, arena));
    auto const performance = MXK_TRY(find_performance(domains, known, arena));
    compare_with_performance(nodes.size(), distances, performance, warnings);
    return Topology{.cores = cores,
                    .nodes = nodes,
                    .distances = distances,
                    .distances_are_known = distances_are_known,
                    .listed_cores = std::max(listed.listed, cores.size()),
                    .memory_is_known = !memory.empty() || !usable_memory.empty(),
                    .non_volatile_bytes = non_volatile,
                    .performance = performance};
}

Result<Topology> keep_cores(Topology const& before, std::span<std::size_t const> order, Arena& arena) {
    expect(!order.empty() && order[0] == 0, "keep_cores: the boot core runs");
    std::span<Core> const cores = MXK_TRY(arena.array<Core>(order.size()));
    for (std::size_t i = 0; i < order.size(); ++i) {
        cores[i] = before.cores[order[i]];
        cores[i].id = core_id(i);
    }
    std::span<Node> const nodes = MXK_TRY(arena.array<Node>(before.nodes.size()));
    std::copy(before.nodes.begin(), before.nodes.end(), nodes.begin());
    MXK_TRY(share_cores(nodes, cores, arena));
    Topology result = before;
    result.cores = cores;
    result.nodes = nodes;
    return result;
}

std::uint64_t Node::memory_bytes() const {
    std::uint64_t bytes = 0;
    for (MemoryRange const& range : memory) bytes += range.bytes;
    return bytes;
}

std::uint64_t Topology::memory_bytes() const {
    std::uint64_t bytes = 0;
    for (Node const& node : nodes) bytes += node.memory_bytes();
    return bytes;
}

} // namespace mxk::topology
