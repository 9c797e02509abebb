#include "tasks/dataflow/graph/envelope_size.hpp"

#include <algorithm>
#include <atomic>

#include "kernel/topology/system_topology.hpp"

namespace mxk::dataflow {
namespace {

constexpr std::size_t second_level = 1; // of CoreLevels::caches

bool is_same_physical_core(topology::Core const& a, topology::Core const& b) {
    if (a.id == b.id) return true;
    return a.levels.physical_core != unknown_domain && a.levels.physical_core == b.levels.physical_core &&
           a.levels.package == b.levels.package;
}

// Physical cores that share the second-level cache of `core`: of each, its first hardware thread counts.
std::size_t sharers(topology::Core const& core, std::span<topology::Core const> all) {
    std::uint32_t const domain = core.levels.caches[second_level].domain;
    std::size_t count = 0;
    for (std::size_t at = 0; at < all.size(); ++at) {
        if (all[at].levels.caches[second_level].domain != domain) continue;
        bool const is_first = std::ranges::none_of(all.first(at), [&](topology::Core const& earlier) {
            return earlier.levels.caches[second_level].domain == domain && is_same_physical_core(earlier, all[at]);
        });
        count += is_first ? 1 : 0;
    }
    return count;
}

} // namespace

std::size_t recommended_bytes(std::span<topology::Core const> cores) {
    std::size_t result = max_recommended_bytes;
    for (std::size_t at = 0; at < cores.size(); ++at) {
        CacheDomain const& cache = cores[at].levels.caches[second_level];
        if (cache.domain == unknown_domain || cache.bytes == 0) continue;
        bool const is_known = std::ranges::any_of(cores.first(at), [&](topology::Core const& earlier) {
            return earlier.levels.caches[second_level].domain == cache.domain;
        });
        if (!is_known) result = std::min<std::size_t>(result, cache.bytes / sharers(cores[at], cores));
    }
    return result;
}

std::size_t recommended_bytes() {
    static constinit std::atomic<std::size_t> known{0}; // the topology does not change
    std::size_t bytes = known.load(std::memory_order_relaxed);
    if (bytes != 0) return bytes;
    bytes = recommended_bytes(system_topology().cores);
    known.store(bytes, std::memory_order_relaxed);
    return bytes;
}

std::uint32_t rows_in(std::size_t bytes, std::size_t row_bytes, std::size_t scalar_bytes) {
    if (bytes <= scalar_bytes || row_bytes == 0) return 1;
    return static_cast<std::uint32_t>(std::clamp<std::size_t>((bytes - scalar_bytes) / row_bytes, 1, UINT32_MAX));
}

std::uint32_t rows_or_recommended(std::uint32_t rows, std::size_t row_bytes, std::size_t scalar_bytes) {
    return rows != 0 ? rows : rows_in(recommended_bytes(), row_bytes, scalar_bytes);
}

} // namespace mxk::dataflow
