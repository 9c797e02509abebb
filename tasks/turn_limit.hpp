// For a task that has much to do and goes on in several turns: whether it has held its core for long enough, and a way
// to let all others have it in between.
//
//     TurnLimit const turn;
//     for (; next != end; ++next) {
//         if (turn.is_due()) return end_turn(worker, task);
//         ...
//     }
//
// Tasks that do not ask cost nothing for it. A look costs one reading of the time-stamp counter (about 20 cycles).
#pragma once

#include <algorithm>

#include "kernel/clock.hpp"
#include "tasks/worker.hpp"

namespace mxk {

class TurnLimit {
  public:
    // The turn begins here. Any core.
    explicit TurnLimit(Nanoseconds limit = Nanoseconds{1'000'000})
        : start_(clock::timestamp())
        , limit_(clock::to_cycles(std::min(limit, max))) {}
    [[nodiscard]] bool is_due() const { return clock::timestamp() - start_ >= limit_; }

  private:
    static constexpr Nanoseconds max{std::uint64_t{1} << 60}; // decades, whose cycles fit

    Cycles start_;
    Cycles limit_;
};

// The task that runs continues behind what has come by then, from other cores and threads, too: appended as others are
// it would have up to 32 turns before the core looks there. A coroutine: worker.end_round() and co_await yield().
inline void end_turn(Worker& worker, Task& task) {
    worker.end_round();
    worker.when_round(task);
}

} // namespace mxk
