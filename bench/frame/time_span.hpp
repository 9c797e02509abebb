// The time that a run took: from the first core's start to the last one's end.
#pragma once

#include <algorithm>
#include <limits>

#include "base/units.hpp"
#include "kernel/clock.hpp"

namespace mxk::bench {

class TimeSpan {
  public:
    // Counts another core's time in.
    void cover(Cycles start, Cycles end) {
        first_ = std::min(first_, start);
        last_ = std::max(last_, end);
    }

    // One core or more must have been counted in.
    [[nodiscard]] double seconds() const {
        return static_cast<double>(raw(last_ - first_)) / static_cast<double>(clock::frequency());
    }

  private:
    Cycles first_{std::numeric_limits<std::uint64_t>::max()};
    Cycles last_{};
};

} // namespace mxk::bench
