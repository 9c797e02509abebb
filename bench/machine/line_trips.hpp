// A cache line that goes there and back: two cores write one word in turns, each when it has seen what the other wrote.
#pragma once

#include <cstdint>

#include "base/units.hpp"
#include "bench/frame/experiment.hpp"
#include "bench/machine/line_wait.hpp"

namespace mxk::bench {

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

} // namespace mxk::bench
