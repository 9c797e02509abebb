// A set of physical addresses as sorted, disjoint, non-empty ranges. Memory maps come from firmware: in any order,
// overlapping, adjacent. Needs no allocator, since it says where the first memory is: a fixed capacity, and what does
// not fit is left out of the set (memory lost, never memory invented); `dropped()` tells. Not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/units.hpp"

namespace mxk {

struct MemoryRange {
    PhysicalAddress start{};
    std::uint64_t bytes = 0;

    [[nodiscard]] constexpr PhysicalAddress end() const { return start + bytes; }
    bool operator==(MemoryRange const&) const = default;
};

// `range` without what wraps around the end of the address space.
constexpr MemoryRange clamped(MemoryRange range) {
    std::uint64_t const room = UINT64_MAX - raw(range.start);
    return {range.start, range.bytes < room ? range.bytes : room};
}

constexpr MemoryRange intersection(MemoryRange a, MemoryRange b) {
    PhysicalAddress const start = a.start < b.start ? b.start : a.start;
    PhysicalAddress const end = a.end() < b.end() ? a.end() : b.end();
    return start < end ? MemoryRange{start, end - start} : MemoryRange{start, 0};
}

class RangeSet {
  public:
    static constexpr std::size_t capacity = 512;

    void add(MemoryRange range);
    void remove(MemoryRange range);

    // Takes `bytes` at a multiple of `alignment` out of the set, from the highest place that ends at or below `limit`.
    std::optional<PhysicalAddress> take(std::uint64_t bytes, std::uint64_t alignment, PhysicalAddress limit);

    [[nodiscard]] std::span<MemoryRange const> ranges() const { return {ranges_.data(), count_}; }
    [[nodiscard]] std::uint64_t bytes() const;
    // Ranges left out because the set was full.
    [[nodiscard]] std::size_t dropped() const { return dropped_; }

  private:
    void insert_at(std::size_t position, MemoryRange range);
    void erase_at(std::size_t position);

    std::array<MemoryRange, capacity> ranges_{};
    std::size_t count_ = 0;
    std::size_t dropped_ = 0;
};

} // namespace mxk
