// One thread at a time. Not recursive: a thread that locks a mutex it holds, or unlocks one it does not hold, panics.
#pragma once

#include <atomic>
#include <source_location>

#include "base/lock.hpp"
#include "base/lock_rank.hpp"
#include "tasks/threads/semaphore.hpp"

namespace mxk {

struct ThreadRecord;

// An application with several mutexes at a time orders them by other ranks of that band.
inline constexpr LockRank default_mutex_rank = lock_bands::application.rank(63);

// Threads only.
class Mutex {
  public:
    using Node = NoLockNode;

    explicit Mutex(LockRank rank = default_mutex_rank, SemaphoreKind kind = SemaphoreKind::Fast)
        : semaphore_(1, kind)
        , rank_(rank) {}
    Mutex(Mutex const&) = delete;
    Mutex& operator=(Mutex const&) = delete;

    // Waits until nobody else has it; waiters have it in the order in which they came (on metal).
    void lock(Node& node = no_lock_node, std::source_location where = std::source_location::current());
    // Whether the caller has it now. Never waits.
    bool try_lock(Node& node = no_lock_node, std::source_location where = std::source_location::current());
    // The same, waiting for up to that time. Errors: a negative time.
    Result<bool> try_lock_for(Nanoseconds time, std::source_location where = std::source_location::current());
    void unlock(Node& node = no_lock_node, std::source_location where = std::source_location::current());

  private:
    ThreadRecord* expect_not_owner() const;
    void note(ThreadRecord* self, std::source_location where);

    Semaphore semaphore_;
    std::atomic<ThreadRecord*> owner_{nullptr}; // relaxed: a thread only compares it with itself
    LockRank rank_;
};
static_assert(TryLock<Mutex>);

} // namespace mxk
