// Whether a core that has nothing to do takes another's tasks, or leaves them to it. What waits for less time than it
// takes to fetch it, its owner runs sooner itself, with its data in its cache: two cores that share a pipe of small
// tasks are slower than one. So the one that would help first looks for some time at how fast the other gets on, and
// takes what that one would not come to within as long again. (Falt 2010, section 5.4, steals at once; `bench dataflow
// pipe` has both.)
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/units.hpp"

namespace mxk::dataflow {

// Of one core about another, or about the cores of its node.
class HelpEstimate {
  public:
    // A look: tasks that wait there now, and those that were run there so far. True: one may be taken. The first one of
    // a series knows nothing yet. However far looks are apart, what nobody runs meanwhile is worth it at the second.
    [[nodiscard]] bool is_worth(std::size_t waiting, std::uint64_t done, Cycles now, Cycles patience,
                                std::uint32_t series) {
        if (patience == Cycles{}) return waiting != 0;
        std::uint64_t const elapsed = raw(now - looked_);
        bool const is_first = series != series_;
        if (is_first || elapsed >= raw(patience)) {
            // Those that the other will have run itself when as much time as its patience has passed.
            std::uint64_t const own = is_first ? waiting : raw(patience) * (done - done_) / elapsed;
            left_ = waiting > own ? waiting - own : 0;
            looked_ = now;
            done_ = done;
            series_ = series;
        }
        return waiting != 0 && left_ != 0;
    }
    void took_one() {
        if (left_ != 0) --left_;
    }

  private:
    Cycles looked_{};
    std::uint64_t done_ = 0;
    std::uint64_t left_ = 0;   // to be taken until the next look
    std::uint32_t series_ = 0; // the first one is 1
};

} // namespace mxk::dataflow
