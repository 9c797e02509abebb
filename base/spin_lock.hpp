// A ticket lock: FIFO, so no core starves. For short sections off the fast path (the allocator, the log). It does not
// mask interrupts: code that runs in interrupt handlers must not take one. Ranks come with the thread layer.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/spin_wait.hpp"

namespace mxk {

class SpinLock {
  public:
    void lock() {
        std::uint32_t const ticket = next_.fetch_add(1, std::memory_order_relaxed);
        // acquire: pairs with the release in unlock() of the holder before.
        for (SpinWait wait; serving_.load(std::memory_order_acquire) != ticket;) wait.turn();
    }
    void unlock() {
        // Only the holder writes serving_, so a plain increment is enough; release: publishes its section.
        serving_.store(serving_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    }

  private:
    std::atomic<std::uint32_t> next_{0};
    std::atomic<std::uint32_t> serving_{0};
};

class [[nodiscard]] LockGuard {
  public:
    explicit LockGuard(SpinLock& lock)
        : lock_(lock) {
        lock_.lock();
    }
    ~LockGuard() { lock_.unlock(); }
    LockGuard(LockGuard const&) = delete;
    LockGuard& operator=(LockGuard const&) = delete;

  private:
    SpinLock& lock_;
};

} // namespace mxk
