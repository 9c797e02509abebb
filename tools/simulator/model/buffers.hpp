// Buffers of one kind, of which each request holds one until it is answered: line-fill buffers, buffers of the L2.
#pragma once

#include <algorithm>
#include <vector>

#include "tools/simulator/model/time.hpp"

namespace mxk::simulator {

class Buffers {
  public:
    explicit Buffers(unsigned count)
        : free_from_(count) {}

    struct Booking {
        unsigned number;
        Time begin;
    };

    /// The buffer that was free last of those that are free at `at`, so that the others are left for requests of an
    /// earlier time; if none is, the one that is free first.
    Booking begin(Time at) const {
        unsigned best = 0;
        for (unsigned number = 1; number != free_from_.size(); ++number) {
            Time const best_time = free_from_[best];
            Time const time = free_from_[number];
            bool const better = best_time > at ? time < best_time : (time <= at && time > best_time);
            if (better) best = number;
        }
        return {best, std::max(at, free_from_[best])};
    }

    void end(Booking const& booking, Time until) { free_from_[booking.number] = until; }

  private:
    std::vector<Time> free_from_;
};

} // namespace mxk::simulator
