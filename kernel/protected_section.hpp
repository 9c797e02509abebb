// A stretch of code that must be over before its core counts as quiescent (tasks/core_epoch.hpp): what it has found in
// a shared structure stays valid until then, even if others have unlinked it meanwhile. The read section of RCU stands
// on it.
//
// In a task it need not be written: a task's body as a whole is protected, because its core is quiescent only between
// tasks. It is for threads, which can be preempted anywhere, and for code that both run. Counted for each thread: a
// thread that is preempted, or waits, in one keeps its core from being quiescent until it has left.
#pragma once

#include "arch/core_local.hpp"

namespace mxk {

// They may nest. Any core; entering and leaving never block. A task's body ends the ones it has begun.
class ProtectedSection {
  public:
    ProtectedSection() { arch::enter_section(); }
    ~ProtectedSection() { arch::leave_section(); }
    ProtectedSection(ProtectedSection const&) = delete;
    ProtectedSection& operator=(ProtectedSection const&) = delete;
};

} // namespace mxk
