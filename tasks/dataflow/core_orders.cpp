#include "tasks/dataflow/core_orders.hpp"

#include <algorithm>
#include <tuple>

#include "base/splitmix.hpp"

namespace mxk::dataflow {
namespace {

// How many hardware threads of the same physical core come before this one.
std::size_t place_among_siblings(CoreId core, std::span<topology::Core const> all) {
    topology::Core const& self = all[index(core)];
    if (self.levels.physical_core == unknown_domain) return 0;
    auto const is_earlier_sibling = [&](topology::Core const& other) {
        return other.id < core && other.levels.physical_core == self.levels.physical_core &&
               other.levels.package == self.levels.package && other.node == self.node;
    };
    return static_cast<std::size_t>(std::ranges::count_if(all, is_earlier_sibling));
}

} // namespace

unsigned shared_level(topology::Core const& a, topology::Core const& b) {
    for (unsigned level = 0; level < CoreLevels::cache_levels; ++level) {
        std::uint32_t const domain = a.levels.caches[level].domain;
        if (domain != unknown_domain && domain == b.levels.caches[level].domain) return level + 1;
    }
    return CoreLevels::cache_levels + 1;
}

void sort_for_waking(std::span<CoreId> cores, std::span<topology::Core const> all) {
    std::ranges::sort(cores, {}, [all](CoreId core) { return std::tuple(place_among_siblings(core, all), core); });
}

void sort_for_stealing(CoreId thief, std::span<CoreId> victims, std::span<topology::Core const> all, std::uint64_t seed,
                       VictimOrder order) {
    std::uint64_t state = seed + index(thief) * splitmix_step;
    for (std::size_t left = victims.size(); left > 1; --left) {
        state += splitmix_step;
        std::swap(victims[left - 1], victims[splitmix(state) % left]);
    }
    // Insertion sort: it keeps the random order within a level, and needs no memory.
    auto const level = [&](CoreId core) {
        auto const shared = static_cast<int>(shared_level(all[index(thief)], all[index(core)]));
        return order == VictimOrder::NearestFirst ? shared : -shared;
    };
    for (std::size_t i = 1; i < victims.size(); ++i)
        for (std::size_t at = i; at > 0 && level(victims[at]) < level(victims[at - 1]); --at)
            std::swap(victims[at], victims[at - 1]);
}

} // namespace mxk::dataflow
