// What it costs that a cache line is another core's: a line that goes there and back, and atomic additions (LOCK XADD)
// on lines by who has them: this core alone (owned), this core and another that has read them (shared), or another that
// has written them (remote).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "base/result.hpp"
#include "base/spin_wait.hpp"
#include "base/units.hpp"
#include "bench/frame/experiment.hpp"
#include "kernel/clock.hpp"

namespace mxk::bench {

using LineWord = std::atomic<std::uint64_t>;

// Waiting for a word that another core is about to write, with nothing between two looks: what is measured is how long
// the line takes. After some tens of microseconds the processor is offered, since the other core may need it; and there
// is an end to it. One core's.
class LineWait {
  public:
    explicit LineWait(Cycles deadline)
        : deadline_(deadline) {}

    // Until the word is `value`, whose writer's release store this pairs with. False: the deadline came first.
    bool until(LineWord const& word, std::uint64_t value) {
        while (word.load(std::memory_order_acquire) != value)
            if (++looks_ % patience == 0 && !goes_on()) return false;
        return true;
    }
    // How often the processor was offered: more than now and then means that the cores share one, or one was taken
    // away.
    [[nodiscard]] std::uint64_t long_waits() const { return long_waits_; }

  private:
    static constexpr std::uint64_t patience = std::uint64_t{1} << 14;

    bool goes_on() {
        ++long_waits_;
        offer_processor();
        return clock::timestamp() < deadline_;
    }

    Cycles deadline_;
    std::uint64_t looks_ = 0;
    std::uint64_t long_waits_ = 0;
};

// A line that goes there and back: two cores write one word in turns, each when it has seen what the other wrote.
class LineTrips {
  public:
    // `word`: alone on its line and the next; 0. `deadline`: when a run ends that has not made all trips.
    LineTrips(LineWord& word, std::uint64_t trips, Cycles deadline)
        : word_(word)
        , trips_(trips)
        , deadline_(deadline) {}

    // One core does the one, the other one the other, at the same time.
    void ask();
    void answer();

    // Afterwards: nanoseconds per round trip. Error: there was none.
    [[nodiscard]] Result<Sample> sample() const;

  private:
    // What a core knows, on lines of its own.
    struct alignas(2 * cache_line_bytes) End {
        std::uint64_t trips = 0;
        std::uint64_t long_waits = 0;
    };

    LineWord& word_;
    std::uint64_t trips_;
    Cycles deadline_;
    Cycles elapsed_{};
    End asker_;
    End answerer_;
};

// Lines that additions go round. A word has the place of the next one in its upper half, the additions in its lower.
class AtomicRing {
  public:
    static constexpr std::size_t size = 128; // 16 KiB: what every first-level cache holds

    AtomicRing();

    // One addition on each line.
    void add();
    // Takes all lines into this core's cache as well. Whether each came once.
    [[nodiscard]] bool read() const;
    // Out of all caches.
    void flush() const;

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

// Additions that go round a ring: a pass makes one on each of its lines, in random order, since the word that is added
// to names the next line, so that additions do not overlap. One run: add() by the core that is measured and, at the
// same time, serve() by the other ones. Or loads instead of additions, of lines that another core has modified, has
// alone and unmodified (exclusive), or has together with a third core (shared).
class LineAtomics {
  public:
    enum class State : std::uint8_t { Owned, Shared, Remote, ReadModified, ReadExclusive, ReadShared };

    // Cores that serve.
    static constexpr std::size_t servers_of(State state) {
        return state == State::Owned ? 0 : state == State::ReadShared ? 2 : 1;
    }

    // `passes`: up to 2^30.
    LineAtomics(State state, std::uint32_t passes, Cycles deadline)
        : state_(state)
        , passes_(passes)
        , deadline_(deadline) {}

    void add();
    // `server`: 0, or 1 of two.
    void serve(std::size_t server = 0);

    // Afterwards: nanoseconds per addition or load. Error: no pass came to its end.
    [[nodiscard]] Result<Sample> sample() const;
    [[nodiscard]] AtomicRing& ring() { return ring_; }

  private:
    [[nodiscard]] bool adds() const { return state_ <= State::Remote; }
    // Whose turn it is in a pass: 1 and up, the servers'; beyond, that of the core that is measured.
    [[nodiscard]] std::uint64_t turn_of(std::uint64_t pass, std::size_t place) const {
        return pass * (servers_of(state_) + 1) + place;
    }

    State state_;
    std::uint32_t passes_;
    Cycles deadline_;
    AtomicRing ring_;
    alignas(2 * cache_line_bytes) LineWord turn_{0};
    alignas(2 * cache_line_bytes) Cycles elapsed_{};
    std::uint32_t passes_made_ = 0;
    std::uint64_t long_waits_ = 0;
    bool all_read_ = true;
    alignas(2 *
            cache_line_bytes) std::atomic<std::uint64_t> served_long_waits_{0}; // relaxed: read after all have ended
};

} // namespace mxk::bench
