// Which hardware a core shares with others, below its NUMA node: the physical core (SMT), caches, the package. Cores
// with the same number at a level share what is there; the numbers say nothing else, and have gaps.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace mxk {

constexpr std::uint32_t unknown_domain = 0xffff'ffff;

struct CacheDomain {
    std::uint32_t domain = unknown_domain;
    std::uint64_t bytes = 0;

    bool operator==(CacheDomain const&) const = default;
};

struct CoreLevels {
    static constexpr std::size_t cache_levels = 4;

    std::uint32_t physical_core = unknown_domain; // SMT siblings have the same
    std::uint32_t package = unknown_domain;
    std::array<CacheDomain, cache_levels> caches{}; // of data, or of data and instructions; [0] is level 1

    bool operator==(CoreLevels const&) const = default;
};

} // namespace mxk
