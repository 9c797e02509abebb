// A stretch of code that must be over before its core counts as quiescent (tasks/rcu/core_epoch.hpp): what it has found
// in a shared structure stays valid until then, even if others have unlinked it meanwhile. The read section of RCU
// stands on it.
//
// In a task it need not be written: a task's body as a whole is protected, because its core is quiescent only between
// tasks; but a body that waits in the middle (Worker::run_until()) is not while it does. It is for threads, which can
// be preempted anywhere, for code that both run, and for a body that goes on using what it has found after it has
// waited. Counted for each thread: a thread that is preempted, or waits, in one keeps its core from being quiescent
// until it has left. On metal it is one instruction, and one and a branch; in a thread of the Linux build some plain
// stores.
#pragma once

#include "arch/sections.hpp"

namespace mxk {

// They may nest, also in interrupt handlers. Any core; entering and leaving never block. A task's body ends the ones it
// has begun.
class ProtectedSection {
  public:
    ProtectedSection() { arch::enter_section(); }
    ~ProtectedSection() { arch::leave_section(); }
    ProtectedSection(ProtectedSection const&) = delete;
    ProtectedSection& operator=(ProtectedSection const&) = delete;
};

} // namespace mxk
