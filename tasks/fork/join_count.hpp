// How many of what a coroutine has forked is still under way, once a thief goes on with it: each theft leaves one child
// behind that ends elsewhere. The last one, such a child or the coroutine to its join, goes on behind the join.
#pragma once

#include <atomic>
#include <cstdint>

namespace mxk {

class JoinCount {
  public:
    // Of the core that runs the coroutine, which hands it on with the coroutine.
    void add_theft() { ++thefts_; }
    [[nodiscard]] bool has_thefts() const { return thefts_ != 0; }

    // A child has ended whose parent was stolen from it. True: the parent is the caller's now, behind its join. Else
    // the caller does not touch it again.
    // acq_rel: what it has done comes before what follows the join; here, and in arrive()
    bool end_child() { return left_.fetch_sub(1, std::memory_order_acq_rel) == 1; }
    // The coroutine has come to its join. As end_child().
    bool arrive() {
        std::uint32_t const unknown = max_left - thefts_; // children that nobody has left behind
        return left_.fetch_sub(unknown, std::memory_order_acq_rel) == unknown;
    }
    // Behind the join, for the next ones.
    void reset() {
        thefts_ = 0;
        left_.store(max_left, std::memory_order_relaxed);
    }

  private:
    static constexpr std::uint32_t max_left = 1U << 31;

    std::uint32_t thefts_ = 0;
    std::atomic<std::uint32_t> left_{max_left};
};

} // namespace mxk
