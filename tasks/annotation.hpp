// What a task will touch when it runs: some consecutive cache lines, to be read or to be written. The worker asks the
// processor for them some tasks ahead (worker.hpp), so that the task finds them in the cache. It is only a hint: a
// wrong one costs time, not correctness, and an address that is not mapped is ignored by the processor (SDM volume 2B,
// PREFETCHh; AMD APM volume 3, PREFETCH).
//
//     63            6   5      4      3   0
//     | line address | write | next | lines |      one word; lines 0: nothing is known, 15: one line of a table
//
// next: besides that, the task itself extends into the cache line behind its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/prefetch.hpp"
#include "base/units.hpp"

namespace mxk {

class Annotation {
  public:
    static constexpr std::size_t max_lines = 14;

    constexpr Annotation() = default;
    // `bytes` from `address` on, up to 14 lines of them; 0 bytes: nothing.
    static Annotation reads(void const* address, std::size_t bytes = 1) { return {address, bytes, 0}; }
    static Annotation writes(void const* address, std::size_t bytes = 1) { return {address, bytes, write_bit}; }

    // The line of this address, of a table that only this core works on, to be read or written: prefetch_far().
    static Annotation table_line(void const* address) {
        Annotation result;
        result.bits_ = (reinterpret_cast<std::uintptr_t>(address) & ~low_mask) | table_code;
        return result;
    }

    // The same for a task of more than one line.
    [[nodiscard]] constexpr Annotation and_next_line() const {
        Annotation result = *this;
        result.bits_ |= next_line_bit;
        return result;
    }

    [[nodiscard]] explicit operator bool() const { return lines() != 0; }
    // Neither lines nor a next line.
    [[nodiscard]] bool is_blank() const { return bits_ == 0; }
    [[nodiscard]] bool has_next_line() const { return (bits_ & next_line_bit) != 0; }
    [[nodiscard]] std::size_t lines() const { return is_table_line() ? 1 : bits_ & lines_mask; }
    [[nodiscard]] bool is_table_line() const { return (bits_ & lines_mask) == table_code; }
    // It, and no next line.
    [[nodiscard]] bool is_only_table_line() const { return (bits_ & (lines_mask | next_line_bit)) == table_code; }
    [[nodiscard]] bool is_write() const { return (bits_ & write_bit) != 0; }
    [[nodiscard]] void const* address() const { return reinterpret_cast<void const*>(bits_ & ~low_mask); }

    // Any core; never blocks, never faults.
    void prefetch() const {
        if (is_table_line()) [[likely]]
            return prefetch_far(reinterpret_cast<void const*>(bits_)); // anywhere in the line
        std::uintptr_t const first = bits_ & ~low_mask; // a number: any address may be asked for, also none
        for (std::size_t i = 0; i < lines(); ++i)
            prefetch_line(reinterpret_cast<void const*>(first + i * cache_line_bytes));
    }

  private:
    void prefetch_line(void const* line) const {
        if (is_write())
            prefetch_for_write(line);
        else
            prefetch_for_read(line);
    }

    static constexpr std::uintptr_t lines_mask = 15;
    static constexpr std::uintptr_t table_code = 15;
    static constexpr std::uintptr_t next_line_bit = 1 << 4;
    static constexpr std::uintptr_t write_bit = 1 << 5;
    static constexpr std::uintptr_t low_mask = cache_line_bytes - 1;
    static_assert((lines_mask | next_line_bit | write_bit) == low_mask,
                  "the bits below a line's address hold the rest");

    Annotation(void const* address, std::size_t bytes, std::uintptr_t access) {
        auto const first = reinterpret_cast<std::uintptr_t>(address);
        std::uintptr_t const past = (first & low_mask) + bytes + low_mask;
        if (bytes != 0)
            bits_ = (first & ~low_mask) | access | std::min<std::uintptr_t>(past / cache_line_bytes, max_lines);
    }

    std::uintptr_t bits_ = 0;
};
static_assert(sizeof(Annotation) == sizeof(std::uintptr_t));

} // namespace mxk
