#include "kernel/topology/topology_performance.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "kernel/acpi/hmat.hpp"

namespace mxk::topology {
namespace {

using acpi::LocalityMatrix;
using acpi::Measure;

static_assert(unreachable == acpi::unreachable_memory);

std::optional<std::size_t> place_of(std::uint32_t domain, std::span<std::uint32_t const> domains) {
    auto const place = std::lower_bound(domains.begin(), domains.end(), domain);
    if (place == domains.end() || *place != domain) return std::nullopt;
    return static_cast<std::size_t>(place - domains.begin());
}

bool is_about_both(Measure measure) {
    return measure == Measure::AccessLatency || measure == Measure::AccessBandwidth;
}

void set_if_unknown(std::uint64_t& kept, std::uint64_t value) {
    if (kept == unknown_performance) kept = value;
}

void set(MemoryPerformance& pair, Measure measure, std::uint64_t value) {
    switch (measure) {
    case Measure::ReadLatency: return set_if_unknown(pair.read_latency, value);
    case Measure::WriteLatency: return set_if_unknown(pair.write_latency, value);
    case Measure::ReadBandwidth: return set_if_unknown(pair.read_bandwidth, value);
    case Measure::WriteBandwidth: return set_if_unknown(pair.write_bandwidth, value);
    case Measure::AccessLatency:
        set_if_unknown(pair.read_latency, value);
        return set_if_unknown(pair.write_latency, value);
    case Measure::AccessBandwidth:
        set_if_unknown(pair.read_bandwidth, value);
        return set_if_unknown(pair.write_bandwidth, value);
    }
}

// Returns whether the matrix says anything about a pair of nodes.
bool add(LocalityMatrix const& matrix, std::span<std::uint32_t const> domains, std::span<MemoryPerformance> pairs) {
    bool says_something = false;
    for (std::size_t i = 0; i < matrix.initiators(); ++i) {
        auto const from = place_of(matrix.initiator(i), domains);
        if (!from) continue;
        for (std::size_t j = 0; j < matrix.targets(); ++j) {
            auto const to = place_of(matrix.target(j), domains);
            auto const value = matrix.between(i, j);
            if (!to || !value) continue;
            set(pairs[*from * domains.size() + *to], matrix.measure(), *value);
            says_something = true;
        }
    }
    return says_something;
}

} // namespace

Result<std::span<MemoryPerformance const>> find_performance(std::span<std::uint32_t const> domains,
                                                            acpi::Tables const& tables, Arena& arena) {
    auto const matrices = MXK_TRY(acpi::locality_matrices(tables, arena));
    if (matrices.empty()) return std::span<MemoryPerformance const>();
    std::span<MemoryPerformance> const pairs = MXK_TRY(arena.array<MemoryPerformance>(domains.size() * domains.size()));
    bool says_something = false;
    for (bool const about_both : {false, true}) {
        for (LocalityMatrix const& matrix : matrices) {
            if (is_about_both(matrix.measure()) == about_both && add(matrix, domains, pairs)) says_something = true;
        }
    }
    return says_something ? std::span<MemoryPerformance const>(pairs) : std::span<MemoryPerformance const>();
}

} // namespace mxk::topology
