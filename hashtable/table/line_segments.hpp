// The first lines of a table's buckets, whose number grows by one at a time: segments of lines that stay where they
// are, each a sixteenth of what there was when it came, or less, or a frame of lines. So memory is had in small steps,
// and where a line is follows from its number without a search.
//
//     line     0    64           1024 1088       2048   2176       4096
//     segment  | 0  | 1  | ...   | 16 | 17 | ... | 32   | 33 | ... | 48     | ...
//
// The owner changes it; any other core may look for a line meanwhile. Memory that is given back while others may still
// read it, is so after a grace period (kernel/sync/rcu), where the machine has such.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/units.hpp"
#include "hashtable/layout/pair_line.hpp"

namespace mxk {

// Every function: the owner, a core or an mxk::Thread, and blocks for the allocator's lock where it takes or gives back
// memory, but for at().
class LineSegments {
  public:
    // As many lines as a table can have: a segment of the last ones has 1 GiB.
    static constexpr std::size_t max_lines = std::size_t{1} << 29;

    explicit LineSegments(NodeId node)
        : node_(node) {}
    ~LineSegments(); // nobody reads any more
    // Nobody knows the other one.
    LineSegments(LineSegments&& other) noexcept;
    LineSegments& operator=(LineSegments&&) = delete;

    // Any core, for a line that there is. acquire: who sees that lines were moved sees what was copied there.
    [[nodiscard]] [[gnu::always_inline]] PairLine* at(std::size_t line) const {
        unsigned const level = level_of(line);
        std::uintptr_t const base =
            bases_[level * steps + (line >> (level + step_shift))].load(std::memory_order_acquire);
        return reinterpret_cast<PairLine*>(base + line * sizeof(PairLine));
    }

    // Makes memory for so many lines, which hold anything. False: there is none, or they are too many; then the caller
    // has what was made.
    [[nodiscard]] bool reach(std::size_t lines);
    // How many lines there is memory for.
    [[nodiscard]] std::size_t size() const { return first_line(made_); }
    // Gives the last segment back, in which no bucket is any more, if so many lines do not need it and there is the
    // memory to note it.
    void shrink_to(std::size_t lines);

    [[nodiscard]] NodeId node() const { return node_; }
    // Where memory is taken from now on; and all of it is to be, a segment with each call of move_next().
    void move_to(NodeId node);
    [[nodiscard]] bool is_moving() const { return next_to_move_ < made_; }
    // Copies a segment to the node, if there is memory. `constructed`: how many lines hold something. Others read the
    // old one until they are told that lines have moved, by the caller, before it changes any.
    void move_next(std::size_t constructed, auto tell) {
        while (is_moving()) {
            std::size_t const segment = next_to_move_++;
            std::uintptr_t const old = copy(segment, constructed);
            if (old == 0) continue;
            tell();
            retire(segment, old);
            return;
        }
    }

  private:
    static constexpr unsigned step_bits = 4;
    static constexpr std::size_t steps = std::size_t{1} << step_bits;
    static constexpr unsigned step_shift = 6; // of the first segments' lines: a frame of them
    static constexpr std::size_t first_lines = steps << step_shift;
    static constexpr std::size_t max_segments =
        steps * (1 + static_cast<std::size_t>(std::countr_zero(max_lines / first_lines)));

    // How often the segments' size has doubled where this line is.
    static unsigned level_of(std::size_t line) {
        return static_cast<unsigned>(std::bit_width(line | first_lines) - std::bit_width(first_lines));
    }
    static constexpr std::size_t first_line(std::size_t segment) {
        if (segment < 2 * steps) return segment << step_shift;
        std::size_t const level = segment / steps - 1;
        return (steps + segment % steps) << (step_shift + level);
    }
    static constexpr std::size_t lines_in(std::size_t segment) { return first_line(segment + 1) - first_line(segment); }

    // The address of the segment's first line, and what is added to a line's place in the table.
    [[nodiscard]] std::uintptr_t address(std::size_t segment) const {
        return bases_[segment].load(std::memory_order_relaxed) + first_line(segment) * sizeof(PairLine);
    }
    void set_address(std::size_t segment, std::uintptr_t address) {
        bases_[segment].store(address - first_line(segment) * sizeof(PairLine), std::memory_order_release);
    }
    [[nodiscard]] std::uintptr_t take(std::size_t segment) const; // 0: no memory
    static void free(std::size_t segment, std::uintptr_t address);
    // When nobody reads it any more.
    void retire(std::size_t segment, std::uintptr_t address);
    std::uintptr_t copy(std::size_t segment, std::size_t constructed);

    std::array<std::atomic<std::uintptr_t>, max_segments> bases_{};
    std::size_t made_ = 0; // segments
    std::size_t next_to_move_ = 0;
    NodeId node_;
    struct Retired;
    Retired* spare_ = nullptr; // for what retires next
    [[nodiscard]] bool make_spare();
};

} // namespace mxk
