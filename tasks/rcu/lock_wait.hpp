// For a task that comes to a dynamic lock which another core has without a lock: it comes again when it may lock.
//
//     if (!lock.may_lock()) return later.append(task, lock);      its body runs again, and asks again
#pragma once

#include "kernel/sync/rcu/callback.hpp"
#include "tasks/rcu/rcu_wait.hpp"
#include "tasks/task.hpp"

namespace mxk {

// Of a task, in which it stands; for one wait at a time.
class DelayedVisit {
  public:
    // Enables the lock (or a cascade's coarse one), and appends the task to the calling core's queue after a grace
    // period. A task; never blocks.
    template <typename LockType> void append(Task& task, LockType& lock) {
        if constexpr (requires { lock.coarsen(); })
            lock.coarsen(rcu::Urgency::Expedited);
        else
            lock.enable(rcu::Urgency::Expedited);
        later_.append(task, rcu::Urgency::Expedited);
    }

  private:
    rcu::LaterTask later_;
};

} // namespace mxk
