// Which sizes a heap gives out. Each size class, a bin, is 1.07 times the one before, rounded up to whole units, so
// that little is lost and a table says at once which one a size belongs to (Z. Falt's thesis on Bobox, 2010, 8.1: the
// growth; the rule is the one that all sizes of its table 8.1 follow).
//
//     small objects:   16 32 48 ... 256 288 320 ... 16048 16384     73 bins, of 16 bytes' multiples
//     medium objects:  17920 19456 20992 ... 513024 522240           49 bins, of 512 bytes' multiples
//
// Up to 15 bytes of a tiny object are lost, 12 % at 257 bytes, 8 % above 1 KiB, and less than 10 % of a medium one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/units.hpp"

namespace mxk::heap {

namespace size_classes {

constexpr std::size_t next_after(std::size_t size, std::size_t unit) {
    return (size * 107 / 100 + unit - 1) / unit * unit;
}
// How many bins there are from `first` on until one has `last`, which is the last one's size.
constexpr std::size_t count_bins(std::size_t first, std::size_t last, std::size_t unit) {
    std::size_t count = 1;
    for (std::size_t size = first; size < last; size = next_after(size, unit)) ++count;
    return count;
}
template <std::size_t count> constexpr auto make_sizes(std::size_t first, std::size_t last, std::size_t unit) {
    std::array<std::uint32_t, count> sizes{};
    std::size_t size = first;
    for (auto& bin : sizes) {
        bin = static_cast<std::uint32_t>(size < last ? size : last);
        size = next_after(size, unit);
    }
    return sizes;
}
template <std::size_t first, std::size_t second>
constexpr auto join(std::array<std::uint32_t, first> const& sizes, std::array<std::uint32_t, second> const& more) {
    std::array<std::uint32_t, first + second> all{};
    for (std::size_t i = 0; i < first; ++i) all[i] = sizes[i];
    for (std::size_t i = 0; i < second; ++i) all[first + i] = more[i];
    return all;
}

} // namespace size_classes

// All objects are aligned to it, and no smaller.
inline constexpr std::size_t min_alignment = 16;
// What can be asked of a bin besides: tasks are aligned to cache lines. What is aligned further takes whole frames.
inline constexpr std::size_t max_bin_alignment = cache_line_bytes;

inline constexpr std::size_t small_unit = 16;
inline constexpr std::size_t max_small_bytes = 16 * KiB;
inline constexpr std::size_t grown_bin_count = size_classes::count_bins(small_unit, max_small_bytes, small_unit);
// Of the sizes above, few are whole cache lines between 448 and 1216. For objects that are aligned to them, such as
// tasks, these are there besides.
inline constexpr std::array<std::uint32_t, 5> line_sizes{512, 640, 768, 896, 1024};
inline constexpr std::size_t small_bin_count = grown_bin_count + line_sizes.size();
inline constexpr auto grown_sizes = size_classes::make_sizes<grown_bin_count>(small_unit, max_small_bytes, small_unit);
inline constexpr auto small_sizes = size_classes::join(grown_sizes, line_sizes);

inline constexpr std::size_t medium_unit = 512;
inline constexpr std::size_t max_medium_bytes = 510 * KiB; // four of them, and what they need besides, fit into 2 MiB
inline constexpr std::size_t first_medium_bytes = size_classes::next_after(16 * KiB + 1, medium_unit);
inline constexpr std::size_t medium_bin_count =
    size_classes::count_bins(first_medium_bytes, max_medium_bytes, medium_unit);
inline constexpr auto medium_sizes =
    size_classes::make_sizes<medium_bin_count>(first_medium_bytes, max_medium_bytes, medium_unit);

namespace size_classes {

// By units, rounded up: the smallest bin whose size is no less and a multiple of `alignment`. The first `sorted` sizes
// ascend.
template <std::size_t units, std::size_t count>
constexpr auto make_table(std::array<std::uint32_t, count> const& sizes, std::size_t sorted, std::size_t unit,
                          std::size_t alignment) {
    std::array<std::uint8_t, units + 1> bins{};
    std::size_t bin = 0;
    for (std::size_t at = 0; at <= units; ++at) {
        while (bin + 1 < sorted && (sizes[bin] < at * unit || sizes[bin] % alignment != 0)) ++bin;
        bins[at] = static_cast<std::uint8_t>(bin);
    }
    for (std::size_t more = sorted; more < count; ++more)
        for (std::size_t at = 0; at * unit <= sizes[more]; ++at)
            if (sizes[bins[at]] > sizes[more]) bins[at] = static_cast<std::uint8_t>(more);
    return bins;
}

inline constexpr auto small_bins =
    make_table<max_small_bytes / small_unit>(grown_sizes, grown_bin_count, small_unit, 1);
inline constexpr auto small_line_bins =
    make_table<max_small_bytes / small_unit>(small_sizes, grown_bin_count, small_unit, max_bin_alignment);
inline constexpr auto medium_bins =
    make_table<max_medium_bytes / medium_unit>(medium_sizes, medium_bin_count, medium_unit, 1);

} // namespace size_classes

// Up to max_small_bytes; 0 bytes count as one.
constexpr std::size_t small_bin_of(std::size_t bytes) {
    return size_classes::small_bins[(bytes + small_unit - 1) / small_unit];
}
// The same of objects that are aligned to `alignment`, up to max_bin_alignment.
constexpr std::size_t small_bin_of(std::size_t bytes, std::size_t alignment) {
    std::size_t const units = (bytes + small_unit - 1) / small_unit;
    return alignment <= min_alignment ? size_classes::small_bins[units] : size_classes::small_line_bins[units];
}
// Above max_small_bytes, up to max_medium_bytes.
constexpr std::size_t medium_bin_of(std::size_t bytes) {
    return size_classes::medium_bins[(bytes + medium_unit - 1) / medium_unit];
}

static_assert(grown_bin_count == 73 && small_sizes[71] == 16048 && small_sizes[23] == 528);
static_assert(small_sizes[small_bin_of(512)] == 528 && small_sizes[small_bin_of(513, 64)] == 576);
static_assert(small_sizes[small_bin_of(512, 64)] == 512 && small_sizes[small_bin_of(1, 64)] == 64);
static_assert(medium_bin_count == 49 && medium_sizes[0] == 17920 && medium_sizes[47] == 513024);

} // namespace mxk::heap
