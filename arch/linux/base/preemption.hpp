// Keeping the core, as on metal, where a thread that holds a spin lock is not preempted. Here the system preempts when
// it likes, and a waiter offers it the processor; so these do nothing. They are no call, either: for one, registers are
// kept in memory, and a lock's atomic instruction waits until they are written.
#pragma once

namespace mxk {

// Any thread; never block.
inline void hold_preemption() {}
inline void release_preemption() {}

} // namespace mxk
