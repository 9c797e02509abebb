// What an atomic addition (LOCK XADD) costs on a line, by who has the line: this core alone (owned), this core and
// another that has read it (shared), or another that has written it (remote). A pass makes one addition on each of some
// lines, in random order: the word that it adds to names the next line, so that additions do not overlap.
#pragma once

#include <array>
#include <cstdint>

#include "base/units.hpp"
#include "bench/frame/experiment.hpp"
#include "bench/machine/line_wait.hpp"

namespace mxk::bench {

// Lines that additions go round. A word has the place of the next one in its upper half, the additions in its lower.
class AtomicRing {
  public:
    static constexpr std::size_t size = 128; // 16 KiB: what every first-level cache holds

    AtomicRing();

    // One addition on each line.
    void add();
    // Takes all lines into this core's cache as well.
    void read() const;

    // Whether each line was added to so often.
    [[nodiscard]] bool has(std::uint32_t additions) const;
    // For tests: an addition too many.
    [[nodiscard]] LineWord& word(std::size_t at) { return lines_[at].word; }

  private:
    // Two lines, since processors fetch them in pairs.
    struct alignas(2 * cache_line_bytes) Line {
        LineWord word{0};
    };

    std::array<Line, size> lines_;
};

// One run: add() by the core that is measured and, at the same time, serve() by the other one. Owned has none.
class LineAtomics {
  public:
    enum class State : std::uint8_t { Owned, Shared, Remote };

    // `passes`: up to 2^30.
    LineAtomics(State state, std::uint32_t passes, Cycles deadline)
        : state_(state)
        , passes_(passes)
        , deadline_(deadline) {}

    void add();
    void serve();

    // Afterwards: nanoseconds per addition. Error: no pass came to its end.
    [[nodiscard]] Result<Sample> sample() const;
    [[nodiscard]] AtomicRing& ring() { return ring_; }

  private:
    State state_;
    std::uint32_t passes_;
    Cycles deadline_;
    AtomicRing ring_;
    alignas(2 * cache_line_bytes) LineWord turn_{0}; // odd: it is the other core's
    alignas(2 * cache_line_bytes) Cycles elapsed_{};
    std::uint32_t passes_made_ = 0;
    std::uint64_t long_waits_ = 0;
    alignas(2 * cache_line_bytes) std::uint64_t served_long_waits_ = 0;
};

} // namespace mxk::bench
