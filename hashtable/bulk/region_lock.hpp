// The lock of one region of a bulk table: any number of readers, or one writer. Held for some microseconds by a bulk
// call, for some dozen nanoseconds by a single one. A writer that waits lets no further readers in; one that leaves
// lets both try, so that neither can keep the other out. Not in order: the first that finds it free has it, since the
// first in a queue may not be running. For tasks and for threads of any kind. 4 bytes.
//
//     readers        up to 2^30 - 1 of them, no writer
//     writing        one writer, no readers
//     wanted         beside readers or a writer: some writer waits
#pragma once

#include <atomic>
#include <cstdint>

#include "base/inject.hpp"
#include "base/spin_wait.hpp"

namespace mxk {

// Every function: any core, any thread of the system below. Waits by polling, and offers its processor after a while.
class RegionLock {
  public:
    void lock() {
        for (SpinWait wait; !try_lock(); wait.turn()) {
            inject::point();
            if ((state_.load(std::memory_order_relaxed) & wanted) == 0)
                state_.fetch_or(wanted,
                                std::memory_order_relaxed); // only keeps readers out for a while: orders nothing
        }
    }
    void unlock() {
        inject::point();
        // Other writers that wait say so once more. release: publishes the section.
        state_.store(0, std::memory_order_release);
    }

    void lock_shared() {
        for (SpinWait wait; !try_lock_shared(); wait.turn()) inject::point();
    }
    void unlock_shared() {
        inject::point();
        // release: what was read has been read before a writer changes it
        state_.fetch_sub(1, std::memory_order_release);
    }

  private:
    static constexpr std::uint32_t writing = std::uint32_t{1} << 31;
    static constexpr std::uint32_t wanted = std::uint32_t{1} << 30;

    // acquire: pairs with the release of the holders before
    bool try_lock() {
        std::uint32_t state = state_.load(std::memory_order_relaxed);
        return (state & ~wanted) == 0 &&
               state_.compare_exchange_strong(state, writing, std::memory_order_acquire, std::memory_order_relaxed);
    }
    bool try_lock_shared() {
        std::uint32_t state = state_.load(std::memory_order_relaxed);
        return (state & (writing | wanted)) == 0 &&
               state_.compare_exchange_strong(state, state + 1, std::memory_order_acquire, std::memory_order_relaxed);
    }

    std::atomic<std::uint32_t> state_{0};
};

// Locks that are held for a scope.
class ExclusiveHold {
  public:
    explicit ExclusiveHold(RegionLock& lock)
        : lock_(lock) {
        lock_.lock();
    }
    ExclusiveHold(ExclusiveHold const&) = delete;
    ExclusiveHold& operator=(ExclusiveHold const&) = delete;
    ~ExclusiveHold() { lock_.unlock(); }

  private:
    RegionLock& lock_;
};
class SharedHold {
  public:
    explicit SharedHold(RegionLock& lock)
        : lock_(lock) {
        lock_.lock_shared();
    }
    SharedHold(SharedHold const&) = delete;
    SharedHold& operator=(SharedHold const&) = delete;
    ~SharedHold() { lock_.unlock_shared(); }

  private:
    RegionLock& lock_;
};

} // namespace mxk
