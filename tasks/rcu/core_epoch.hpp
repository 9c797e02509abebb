// The epochs of one core: how often it has been quiescent when somebody asked. A core is quiescent in the turn of its
// worker between two tasks, while
//
//   - no task's body is unfinished below that uses what it has found: not in the safe point of a body that took its
//     time (Worker::attend_now()), and not inside a run_until() that a body has called in a protected section;
//   - no thread of the core that was preempted, or waits, is in a protected section (kernel/protected_section.hpp) that
//     it was in when the epoch began.
//
// So when an epoch ends that was requested after something had been unlinked, nothing on this core uses it any more: a
// grace period is over when that holds for all cores. Nothing is counted unless somebody asks, and a core that was
// asked and is not quiescent tries again at every round of its tasks.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/fence.hpp"

namespace mxk {

// Its core only, unless a function says otherwise.
class CoreEpoch {
  public:
    // Any core. The number of the last epoch that has ended. acquire: pairs with try_to_advance(): all that this core
    // has done in protected code before it, it has done before what the caller does next.
    [[nodiscard]] std::uint64_t ended() const { return ended_.load(std::memory_order_acquire); }

    // Any core. The first epoch whose end comes after all that was protected on this core when the caller asked. The
    // caller then has to see to it that the core calls request().
    [[nodiscard]] std::uint64_t next() const {
        store_load_fence(); // what the caller has unlinked is unlinked before it looks; pairs with try_to_advance()
        return begun_.load(std::memory_order_acquire) + 1;
    }

    // Somebody waits for one more epoch than the core has begun: its number.
    std::uint64_t request() {
        wanted_ = begun_.load(std::memory_order_relaxed) + 1;
        return wanted_;
    }

    // Whether somebody waits.
    [[nodiscard]] bool is_due() const { return wanted_ != ended_.load(std::memory_order_relaxed); }

    // Ends the epochs that are waited for: begin() is called when one begins, is_quiescent() after it has begun, until
    // it says so.
    template <typename Begin, typename Quiescent> void try_to_advance(Begin begin, Quiescent is_quiescent) {
        while (is_due()) {
            std::uint64_t const epoch = ended_.load(std::memory_order_relaxed) + 1;
            if (begun_.load(std::memory_order_relaxed) != epoch) {
                begun_.store(epoch, std::memory_order_release);
                store_load_fence(); // who does not see it begun, finds what it has unlinked unlinked for all that
                                    // follows
                begin();
            }
            if (!is_quiescent()) return;
            ended_.store(epoch, std::memory_order_release); // pairs with ended()
        }
    }

  private:
    // wanted_ >= begun_ >= ended_; begun_ is the next after ended_, or the same.
    std::atomic<std::uint64_t> begun_{0};
    std::atomic<std::uint64_t> ended_{0};
    std::uint64_t wanted_ = 0;
};

} // namespace mxk
