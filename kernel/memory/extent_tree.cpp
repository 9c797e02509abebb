#include "kernel/memory/extent_tree.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/panic.hpp"
#include "base/units.hpp"

namespace mxk {
namespace {

constexpr unsigned all_entries = 0xffff; // of a block

using Four [[gnu::vector_size(16)]] = std::int32_t;
using Signs [[gnu::vector_size(16)]] = float;

Four four_of(std::int32_t const* block, unsigned first) {
    Four entries;
    __builtin_memcpy(&entries, block + first, sizeof entries);
    return entries;
}

// All entries of a block are read, without a branch for each: what comes cannot be predicted.

// Bit i: entry i is no less than `length`, which is 1 or more.
unsigned mask_of(std::int32_t const* block, std::size_t length) {
    std::int32_t const less = static_cast<std::int32_t>(std::min(length, ExtentTree::max_frames + 1) - 1);
    unsigned mask = 0;
    for (unsigned first = 0; first < 16; first += 4) {
        Four const is_enough = four_of(block, first) > less;
        mask |= static_cast<unsigned>(__builtin_ia32_movmskps(std::bit_cast<Signs>(is_enough))) << first;
    }
    return mask;
}

std::int32_t maximum_of(std::int32_t const* block) {
    Four maximum = four_of(block, 0);
    for (unsigned first = 4; first < 16; first += 4) {
        Four const entries = four_of(block, first);
        maximum = entries > maximum ? entries : maximum;
    }
    return std::max(std::max(maximum[0], maximum[1]), std::max(maximum[2], maximum[3]));
}

std::size_t lowest_bit(unsigned mask) {
    return static_cast<std::size_t>(std::countr_zero(mask));
}

std::size_t highest_bit(unsigned mask) {
    return static_cast<std::size_t>(std::bit_width(mask)) - 1;
}

} // namespace

// Of the levels, from the leaves up: how many entries each has, and 0 behind the last one, which is a single block.
std::size_t ExtentTree::count_above(std::size_t count) {
    return count > fanout ? (count + fanout - 1) / fanout : 0;
}

std::size_t ExtentTree::bytes_for(std::size_t frames) {
    std::size_t entries = 0;
    for (std::size_t count = frames; count > 0; count = count_above(count)) entries += align_up(count, fanout);
    return entries * sizeof(std::int32_t);
}

// The upper levels, which every operation reads, come first.
ExtentTree::ExtentTree(std::byte* memory, std::size_t frames)
    : frames_(frames) {
    expect(frames <= max_frames, "the frames of a node are counted in 31 bits");
    auto* end = reinterpret_cast<std::int32_t*>(memory + bytes_for(frames));
    for (std::size_t count = frames; count > 0; count = count_above(count)) {
        end -= align_up(count, fanout);
        levels_[depth_++] = end;
    }
    if (depth_ > 0) std::fill_n(levels_[depth_ - 1], fanout, 0);
}

std::size_t ExtentTree::max_length() const {
    return depth_ == 0 ? 0 : static_cast<std::size_t>(maximum_of(levels_[depth_ - 1]));
}

void ExtentTree::set(std::size_t first, std::size_t length) {
    if (length != 0) clear_way_to(first);
    auto now = static_cast<std::int32_t>(length);
    std::int32_t before = std::exchange(levels_[0][first], now);
    // Up to where the maximum stays what it was.
    for (std::size_t level = 1; level < depth_ && now != before; ++level) {
        std::int32_t& entry = levels_[level][entry_above(first, level)];
        std::int32_t const maximum = entry;
        if (now < maximum) {
            if (before < maximum) return;
            now = maximum_of(&levels_[level - 1][entry_above(first, level) * fanout]);
        }
        entry = now;
        before = maximum;
    }
}

// Makes the blocks above it readable.
void ExtentTree::clear_way_to(std::size_t frame) {
    for (std::size_t level = depth_ - 1; level > 0; --level) {
        std::size_t const entry = entry_above(frame, level);
        if (levels_[level][entry] == 0) std::fill_n(&levels_[level - 1][entry * fanout], fanout, 0);
    }
}

// The level down to which the entries above a frame stand for an extent of such a length. Its block is readable.
std::size_t ExtentTree::lowest_level(std::size_t frame, std::size_t length) const {
    std::size_t level = depth_ - 1;
    while (level > 0 && static_cast<std::size_t>(levels_[level][entry_above(frame, level)]) >= length) --level;
    return level;
}

// Near the frame first, then in larger and larger parts of the row; then down to the leaf.
std::size_t ExtentTree::find(std::size_t length, std::size_t from) const {
    if (from >= frames_) return none;
    std::size_t const lowest = lowest_level(from, length);
    for (std::size_t level = lowest; level < depth_; ++level) {
        std::size_t const above = entry_above(from, level);
        // Above the lowest one, what is above the frame has been searched.
        unsigned const wanted = (level == lowest ? all_entries : all_entries - 1) << above % fanout;
        std::size_t block = align_down(above, fanout);
        unsigned mask = mask_of(&levels_[level][block], length) & wanted;
        if (mask == 0) continue;
        for (std::size_t below = level; below > 0;) {
            block = (block + lowest_bit(mask)) * fanout;
            mask = mask_of(&levels_[--below][block], length);
        }
        return block + lowest_bit(mask);
    }
    return none;
}

// The same to the other side.
std::size_t ExtentTree::find_before(std::size_t end) const {
    if (end == 0 || frames_ == 0) return none;
    std::size_t const last = std::min(end, frames_) - 1;
    std::size_t const lowest = lowest_level(last, 1);
    for (std::size_t level = lowest; level < depth_; ++level) {
        std::size_t const above = entry_above(last, level);
        unsigned const wanted = (1U << (above % fanout + (level == lowest ? 1 : 0))) - 1;
        std::size_t block = align_down(above, fanout);
        unsigned mask = mask_of(&levels_[level][block], 1) & wanted;
        if (mask == 0) continue;
        for (std::size_t below = level; below > 0;) {
            block = (block + highest_bit(mask)) * fanout;
            mask = mask_of(&levels_[--below][block], 1);
        }
        return block + highest_bit(mask);
    }
    return none;
}

} // namespace mxk
