// Read-copy-update: readers take no lock and write nothing that is shared; what a writer unlinks, it gives back after a
// grace period (grace_periods.hpp).
//
//     in a task    nothing: its body is a read section as a whole
//     in a thread  rcu::ReadSection const section;
//     unlink(object); rcu::call(object.callback);        or rcu::synchronize() (tasks/rcu/rcu_wait.hpp)
//
// A body that waits in the middle (Worker::run_until()) is in no section while it does, unless it has a ReadSection.
#pragma once

#include <span>

#include "base/result.hpp"
#include "kernel/protected_section.hpp"
#include "kernel/sync/rcu/grace_periods.hpp"
#include "kernel/topology/topology.hpp"

namespace mxk::rcu {

// May nest, in interrupt handlers too; never blocks. What is found in it stays valid until it ends.
using ReadSection = ProtectedSection;

// The section of a task's body that does not wait in the middle: no instruction, since the whole body is one. For code
// that both tasks and threads run, and says which.
class TaskReadSection {
  public:
    TaskReadSection() = default;
    ~TaskReadSection() = default;
    TaskReadSection(TaskReadSection const&) = delete;
    TaskReadSection& operator=(TaskReadSection const&) = delete;
};

// For all cores of the machine. The boot core, before the others run. Errors: no memory.
Result<void> create(std::span<topology::Core const> cores);
// After they have stopped.
void forget();
// Null: not created, or forgotten.
extern constinit GracePeriods* current;
inline GracePeriods* periods() {
    return current;
}

// callback.function(callback) runs on the calling core after the next grace period, between two of its tasks. Tasks,
// threads, interrupt handlers, also in read sections; never blocks. On Linux: a core, or a thread of mxk::Thread; any
// other thread ends the program.
void call(Callback& callback, Urgency urgency = Urgency::Batched);

} // namespace mxk::rcu
