// A lock whose threads come in turn, first asked, first served; and asking, which never waits, is a step of its own in
// front of waiting. So a thread that goes from one such lock to the next keeps its place among those that take the same
// way, and never waits for one while it has another:
//
//     Turns::Turn const turn = next.ask();     still has `here`: who comes behind it asks later
//     here.end(its_turn_here);
//     next.wait(turn);
//
//     turn          0   1   2   3   4   5 ...
//     semaphore     0   1   2   3   0   1 ...    one unit goes round; who has turn t has it from semaphore t mod n
//
// Since nobody waits with a turn that has come, there is no circle of threads that wait for each other, also where the
// ways themselves are one.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/inject.hpp"
#include "base/result.hpp"
#include "kernel/memory/node_vector.hpp"
#include "tasks/threads/semaphore.hpp"

namespace mxk {

class Turns {
  public:
    using Turn = std::uint64_t;

    // No more than `max_turns` have been asked for and not ended at any time. Errors: no memory on `node`.
    static Result<Turns> create(std::size_t max_turns, SemaphoreKind kind, NodeId node) {
        constexpr std::size_t max_count = std::numeric_limits<std::size_t>::max() / 2 + 1; // NodeVector refuses that
        std::size_t const count = std::bit_ceil(std::clamp<std::size_t>(max_turns, 1, max_count));
        Turns turns(MXK_TRY(NodeVector<Semaphore>::create(count, node)));
        for (std::size_t i = 0; i < count; ++i) turns.semaphores_.emplace(i == 0 ? 1U : 0U, kind);
        return turns;
    }
    // While nobody has a turn.
    Turns(Turns&& other) noexcept
        : semaphores_(std::move(other.semaphores_))
        , next_(other.next_.load(std::memory_order_relaxed)) {}
    Turns& operator=(Turns&&) = delete;

    // Any thread; never waits.
    Turn ask() {
        inject::point();
        // relaxed: two threads whose order matters have it from what they did before, which this number keeps
        return next_.fetch_add(1, std::memory_order_relaxed);
    }
    // That thread; blocks until all turns before this one have ended, and sees what they did.
    void wait(Turn turn) { semaphore(turn).wait(); }
    void end(Turn turn) {
        inject::point();
        semaphore(turn + 1).post();
    }

  private:
    explicit Turns(NodeVector<Semaphore> semaphores)
        : semaphores_(std::move(semaphores)) {}

    [[nodiscard]] Semaphore& semaphore(Turn turn) { return semaphores_[turn & (semaphores_.size() - 1)]; }

    NodeVector<Semaphore> semaphores_; // a power of two of them
    std::atomic<Turn> next_{0};
};

} // namespace mxk
