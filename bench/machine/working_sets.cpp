#include "bench/machine/working_sets.hpp"

namespace mxk::bench {

WorkingSets WorkingSets::up_to(std::size_t largest) {
    WorkingSets sets;
    auto const add = [&](std::size_t bytes) {
        if (bytes <= largest && sets.size_ < capacity) sets.bytes_[sets.size_++] = bytes;
    };
    for (std::size_t bytes = smallest;; bytes *= 2) {
        add(bytes);
        add(bytes / 2 * 3);
        if (bytes > largest / 2) break; // before the next power of two is too large for its type
    }
    return sets;
}

std::string_view level_of(CoreLevels const& levels, std::size_t bytes) {
    constexpr std::array<std::string_view, CoreLevels::cache_levels> level_names{"L1", "L2", "L3", "L4"};
    if (last_cache(levels).bytes == 0) return {};
    for (std::size_t level = 0; level < level_names.size(); ++level)
        if (bytes <= levels.caches[level].bytes) return level_names[level];
    return "memory";
}

CacheDomain last_cache(CoreLevels const& levels) {
    CacheDomain last;
    for (CacheDomain const& cache : levels.caches)
        if (cache.bytes != 0) last = cache;
    return last;
}

} // namespace mxk::bench
