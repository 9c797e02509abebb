// kernel/memory/heap/size_classes.hpp for the model checker: two sizes of small objects, of which a batch of others'
// objects is the lower one, and two of medium ones.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/units.hpp"

namespace mxk::heap {

inline constexpr std::size_t min_alignment = 16;
inline constexpr std::size_t max_bin_alignment = cache_line_bytes;

inline constexpr std::size_t max_small_bytes = 256;
inline constexpr std::size_t small_bin_count = 2;
inline constexpr std::array<std::uint32_t, small_bin_count> small_sizes{112, max_small_bytes};

inline constexpr std::size_t max_medium_bytes = 960;
inline constexpr std::size_t medium_bin_count = 2;
inline constexpr std::array<std::uint32_t, medium_bin_count> medium_sizes{448, max_medium_bytes};

constexpr std::size_t small_bin_of(std::size_t bytes, std::size_t /*alignment*/ = min_alignment) {
    return bytes <= small_sizes[0] ? 0 : 1;
}
constexpr std::size_t medium_bin_of(std::size_t bytes) {
    return bytes <= medium_sizes[0] ? 0 : 1;
}

} // namespace mxk::heap
