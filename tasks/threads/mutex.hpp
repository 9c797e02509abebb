// One thread at a time. Not recursive: who locks a mutex that it holds, or unlocks one that it does not hold, panics.
#pragma once

#include <atomic>
#include <source_location>

#include "base/lock_rank.hpp"
#include "tasks/threads/semaphore.hpp"

namespace mxk {

struct ThreadRecord;

// Threads only.
class Mutex {
  public:
    explicit Mutex(LockRank rank = LockRank::Application, SemaphoreKind kind = SemaphoreKind::Fast)
        : semaphore_(1, kind)
        , rank_(rank) {}
    Mutex(Mutex const&) = delete;
    Mutex& operator=(Mutex const&) = delete;

    // Waits until nobody else has it; who waits longest is next (on metal).
    void lock(std::source_location where = std::source_location::current());
    // Whether the caller has it now. Never waits.
    bool try_lock(std::source_location where = std::source_location::current());
    // The same, after so long up to. Errors: a negative time.
    Result<bool> try_lock_for(Nanoseconds time, std::source_location where = std::source_location::current());
    void unlock(std::source_location where = std::source_location::current());

  private:
    ThreadRecord* expect_stranger() const;
    void note(ThreadRecord* self, std::source_location where);

    Semaphore semaphore_;
    std::atomic<ThreadRecord*> owner_{nullptr}; // relaxed: who asks whether it is itself knows
    LockRank rank_;
};

class [[nodiscard]] MutexGuard {
  public:
    explicit MutexGuard(Mutex& mutex, std::source_location where = std::source_location::current())
        : mutex_(mutex) {
        mutex_.lock(where);
    }
    ~MutexGuard() { mutex_.unlock(); }
    MutexGuard(MutexGuard const&) = delete;
    MutexGuard& operator=(MutexGuard const&) = delete;

  private:
    Mutex& mutex_;
};

} // namespace mxk
