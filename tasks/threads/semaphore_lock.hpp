// A semaphore with one unit as a lock (base/lock.hpp), which is how MxOS and the thesis lock (Algorithm 3.4). Unlike a
// mutex it does not know its holder and has no rank: 32 bytes, and nothing is checked. Threads only.
#pragma once

#include "base/lock.hpp"
#include "tasks/threads/semaphore.hpp"

namespace mxk {

class SemaphoreLock {
  public:
    using Node = NoLockNode;

    explicit SemaphoreLock(SemaphoreKind kind = SemaphoreKind::Fast)
        : semaphore_(1, kind) {}

    void lock(Node& /*node*/ = no_lock_node) { semaphore_.wait(); }
    [[nodiscard]] bool try_lock(Node& /*node*/ = no_lock_node) { return semaphore_.try_wait(); }
    void unlock(Node& /*node*/ = no_lock_node) { semaphore_.post(); }

  private:
    Semaphore semaphore_;
};
static_assert(TryLock<SemaphoreLock>);

} // namespace mxk
