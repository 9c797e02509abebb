// How many cores sleep, of those that would steal what others fork: one that goes to sleep says so and looks for work
// once more; one that has forked looks here. One of the two sees the other.
#pragma once

#include <atomic>
#include <cstdint>

namespace mxk {

// Any core.
class SleepCount {
  public:
    // Whether some core sleeps, or is about to. Behind a push (work_deque.hpp).
    // seq_cst, as the push, and as begin() and the look behind it
    [[nodiscard]] bool any() const { return count_.load(std::memory_order_seq_cst) != 0; }

    // The core to which `is_asleep` belongs; it looks for work behind this (WorkDeque::is_empty()).
    void begin(std::atomic<bool>& is_asleep) {
        count_.fetch_add(1, std::memory_order_seq_cst);
        is_asleep.store(true, std::memory_order_seq_cst); // behind it, so that end() never counts one too many
    }
    // That core, awake for whatever reason, or one that wakes it: true for the first of them.
    bool end(std::atomic<bool>& is_asleep) {
        // seq_cst: behind the push and any()
        if (!is_asleep.load(std::memory_order_seq_cst)) return false;
        if (!is_asleep.exchange(false, std::memory_order_relaxed)) return false;
        count_.fetch_sub(1, std::memory_order_relaxed);
        return true;
    }
    void reset() { count_.store(0, std::memory_order_relaxed); }

  private:
    std::atomic<std::uint32_t> count_{0};
};

} // namespace mxk
