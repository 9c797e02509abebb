// Waiting for a grace period (kernel/sync/rcu/rcu.hpp): nobody uses any more what was unlinked before. Not in a read
// section: what waits there would wait for itself.
#pragma once

#include "arch/attention.hpp"
#include "kernel/sync/rcu/rcu.hpp"
#include "tasks/task.hpp"

namespace mxk::rcu {

// Returns after a grace period that has begun after the call. A thread, or a task whose body may Worker::run_until():
// its core runs other tasks meanwhile. Some microseconds if all cores run short tasks; else until every core's
// task has ended, and with Haste::Soon, on metal, every thread's slice.
void synchronize(Haste haste = Haste::Soon);
// The same, and threads that run are interrupted for it.
inline void synchronize_expedited() {
    synchronize(Haste::Now);
}

// Returns when all callbacks have run that were given to any core before the call. Who may call it: as synchronize().
// Errors: no memory for a callback of each core; nothing was waited for.
Result<void> barrier();

// The task is appended to the calling core's queue after a grace period, and may do then what a callback may not: wait,
// and take long. A task; never blocks.
class LaterTask : Callback {
  public:
    void append(Task& task, Haste haste = Haste::Lazy);

  private:
    Task* task_ = nullptr;
};

// quiescent(), if something waits.
void attend_quiescent();

// For a task that takes long: the grace periods that wait for this core end here, as far as it is up to it. What it has
// found in shared structures is gone then, unless it is in a ReadSection. One load if none waits.
inline void quiescent() {
    if (arch::needs_attention()) [[unlikely]]
        attend_quiescent();
}

} // namespace mxk::rcu
