// Lines of a memory in random order, each once in a lap, none of which waits for another: how many of them a core can
// have under way is what limits it, and then the memory's own bandwidth. One core.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/units.hpp"
#include "bench/frame/names.hpp"
#include "bench/machine/word_stream.hpp"

namespace mxk::bench {

enum class LineHint : std::uint8_t { None, T0, T1, T2, Nta, Write };
constexpr auto value_names(LineHint) {
    using Named = console::NamedValue<LineHint>;
    return std::array{Named{LineHint::None, "none"}, Named{LineHint::T0, "t0"},   Named{LineHint::T1, "t1"},
                      Named{LineHint::T2, "t2"},     Named{LineHint::Nta, "nta"}, Named{LineHint::Write, "w"}};
}

// How lines are asked for before they are used.
struct LinesAhead {
    LineHint hint = LineHint::None;
    std::uint32_t distance = 0; // lines

    bool operator==(LinesAhead const&) const = default;
};

class RandomLines {
  public:
    // `words`: of lines whose number is a power of two.
    explicit RandomLines(Words words)
        : words_(words)
        , mask_(words.size() / words_per_line - 1) {}

    // Each line gets its number. Before the first visit.
    void prepare();
    // So many lines, or up to two more, from where the last visit ended. Streamed lines have no hint.
    void visit(LineMix mix, LinesAhead ahead, std::size_t lines);

    [[nodiscard]] std::size_t lines() const { return mask_ + 1; }
    // That were moved since prepare(): a line that is added to twice.
    [[nodiscard]] std::uint64_t bytes() const { return (visits_ + additions_) * cache_line_bytes; }
    [[nodiscard]] std::uint64_t visits() const { return visits_; }
    // Whether each line read had its number, and the lines of the memory have what was added or written. Reads all.
    [[nodiscard]] bool verified() const;

  private:
    static constexpr std::size_t words_per_line = cache_line_bytes / sizeof(std::uint64_t);

    // A sequence with all numbers below a power of two (Hull, Dobell 1962), whose upper bits are mixed into the lower
    // ones, which by themselves would repeat soon: lines that follow each other would lie in a fixed order of channels.
    class Order {
      public:
        explicit Order(std::uint64_t mask)
            : mask_(mask)
            , shift_((static_cast<unsigned>(std::bit_width(mask)) + 1) / 2) {}
        std::uint64_t next() {
            state_ = state_ * 2'862'933'555'777'941'757U + 1;
            std::uint64_t const number = state_ & mask_;
            return number ^ (number >> shift_);
        }

      private:
        std::uint64_t mask_;
        unsigned shift_;
        std::uint64_t state_ = 0;
    };

    template <LineHint hint> void visit_by(LineMix mix, std::uint32_t distance, std::size_t lines);
    // Each line of number `adds` is added to; 0: none is.
    template <LineHint hint, std::size_t adds> void read_lines(std::uint32_t distance, std::size_t lines);
    void stream_lines(std::size_t lines);

    Words words_;
    std::uint64_t mask_;
    Order order_{mask_};
    std::uint64_t visits_ = 0;
    std::uint64_t additions_ = 0;
    std::uint64_t streamed_ = 0;
    std::uint64_t wrong_ = 0; // bits of numbers that were others than expected
};

} // namespace mxk::bench
