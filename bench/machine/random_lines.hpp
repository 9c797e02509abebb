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
    static constexpr std::uint32_t max_distance = 128;
    // So many lines, or up to two more, from where the last visit ended. Streamed lines have no hint. `ahead`: a power
    // of two up to max_distance of lines.
    void visit(LineMix mix, LinesAhead ahead, std::size_t lines);

    [[nodiscard]] std::size_t lines() const { return mask_ + 1; }
    // That were moved since prepare(): a line that is added to twice.
    [[nodiscard]] std::uint64_t bytes() const { return (visits_ + additions_) * cache_line_bytes; }
    [[nodiscard]] std::uint64_t visits() const { return visits_; }
    // Whether each line read had its number, and the lines of the memory have what was added or written. Reads all.
    [[nodiscard]] bool verified() const;

  private:
    static constexpr std::size_t words_per_line = cache_line_bytes / sizeof(std::uint64_t);

    // All numbers below a power of two, by steps of which each can be undone: multiplications by odd numbers, upper
    // bits into lower ones. A linear congruential sequence with one such step was not random enough: lines that are
    // written moved a fifth faster than in this order, and than in those of others.
    class Order {
      public:
        explicit Order(std::uint64_t mask)
            : mask_(mask)
            , shift_((static_cast<unsigned>(std::bit_width(mask)) + 1) / 2) {}
        std::uint64_t next() { return number(next_++); }
        void go_back(std::uint64_t steps) { next_ -= steps; }

      private:
        [[nodiscard]] std::uint64_t number(std::uint64_t place) const {
            std::uint64_t number = (place * 0xbea2'25f9'eb34'556dU) & mask_;
            number = ((number ^ (number >> shift_)) * 0xd6e8'feb8'6659'fd93U) & mask_;
            return number ^ (number >> shift_);
        }

        std::uint64_t mask_;
        unsigned shift_;
        std::uint64_t next_ = 0;
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
