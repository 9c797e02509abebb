#include "kernel/topology/topology_distances.hpp"

#include <cstddef>

#include "kernel/acpi/slit.hpp"

namespace mxk::topology {
namespace {

// The SLIT, asked for `domains` only.
Result<acpi::LocalityDistances> distances_for(std::span<std::uint32_t const> domains, acpi::Tables const& tables) {
    acpi::LocalityDistances const distances = MXK_TRY(acpi::locality_distances(tables));
    if (!distances.covers(domains.back())) { // the largest
        return Error::of("ACPI: SLIT without a row for proximity domain {}", domains.back());
    }
    return distances;
}

// ACPI 6.5 section 5.2.17 has 10 for a locality and itself. A matrix that differs by direction is legal, and no machine
// that is known to us means it.
void warn_of_doubtful(acpi::LocalityDistances const& slit, std::span<std::uint32_t const> domains,
                      acpi::WarningSink& warnings) {
    std::size_t as_near = 0;
    std::size_t one_sided = 0;
    for (std::uint32_t const from : domains) {
        for (std::uint32_t const to : domains) {
            if (from >= to) continue;
            std::uint8_t const there = slit.between(from, to);
            std::uint8_t const back = slit.between(to, from);
            if (there == acpi::local_distance || back == acpi::local_distance) ++as_near;
            if (there != back) ++one_sided;
        }
    }
    if (as_near != 0) {
        warnings.warn("ACPI: SLIT has distance 10 between {} pairs of different domains, as of a domain to itself; "
                      "taken as it is",
                      as_near);
    }
    if (one_sided != 0) {
        warnings.warn("ACPI: SLIT has another distance on the way back for {} pairs of domains; taken as it is",
                      one_sided);
    }
}

bool is_time(std::uint64_t latency) {
    return latency != unknown_performance && latency != unreachable;
}

} // namespace

Result<FoundDistances> find_distances(std::span<std::uint32_t const> domains, acpi::Tables const& tables,
                                      Arena& arena) {
    constexpr std::uint8_t remote_distance = 20;
    auto const slit = distances_for(domains, tables);
    bool const matters = domains.size() > 1 || !tables.find("SLIT").empty();
    if (!slit && matters) tables.warnings().warn("{}; distances taken as 10 local, 20 remote", slit.error().message());
    if (slit) warn_of_doubtful(slit.value(), domains, tables.warnings());

    std::span<std::uint8_t> const result = MXK_TRY(arena.array<std::uint8_t>(domains.size() * domains.size()));
    auto next = result.begin();
    for (std::uint32_t const from : domains) {
        for (std::uint32_t const to : domains) {
            std::uint8_t const assumed = from == to ? acpi::local_distance : remote_distance;
            *next++ = slit ? slit.value().between(from, to) : assumed;
        }
    }
    return FoundDistances{result, slit.ok() || domains.size() == 1};
}

void compare_with_performance(std::size_t nodes, std::span<std::uint8_t const> distances,
                              std::span<MemoryPerformance const> performance, acpi::WarningSink& warnings) {
    if (performance.empty()) return;
    // Along a row: the nearest of those that the HMAT knows, and whether one farther away is read in less time. Each
    // node is compared with the nearest one only, so that the time is that of a look at the matrix.
    std::size_t contradicted = 0;
    for (std::size_t from = 0; from < nodes; ++from) {
        auto const row = distances.subspan(from * nodes, nodes);
        auto const times = performance.subspan(from * nodes, nodes);
        std::size_t nearest = nodes;
        for (std::size_t to = 0; to < nodes; ++to) {
            if (!is_time(times[to].read_latency)) continue;
            if (nearest == nodes || row[to] < row[nearest]) nearest = to;
        }
        for (std::size_t to = 0; to < nodes; ++to) {
            if (!is_time(times[to].read_latency) || row[to] <= row[nearest]) continue;
            if (times[to].read_latency < times[nearest].read_latency) ++contradicted;
        }
    }
    if (contradicted != 0) {
        warnings.warn("ACPI: HMAT and SLIT contradict each other: {} nodes farther away by the SLIT are read in less "
                      "time by the HMAT; both are taken as they are",
                      contradicted);
    }
}

} // namespace mxk::topology
