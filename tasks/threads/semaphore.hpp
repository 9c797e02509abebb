// Counting semaphores for threads (thesis section 2.3). A semaphore has units. A thread that waits takes one and
// continues; if there is none, the core's next task or thread runs. Waiters get units in the order in which they came
// (on metal; in the Linux build, where it is a POSIX semaphore, the system chooses).
//
//     Semaphore free_places(8), filled(0);
//     free_places.wait(); put(item); filled.post();
//
// Two kinds: Fast takes a free unit with one atomic instruction; Syscall goes through the kernel every time, as a
// task of its own, which is how MxOS does it and what the thesis blames for a factor of two. The Linux build has Fast.
//
//     explicit Semaphore(std::uint32_t units = 0, SemaphoreKind kind = Fast)    up to max_units
//     static Result<Semaphore> create(std::int64_t units, SemaphoreKind kind)   errors: negative, too many
//     void wait()                             a thread, on Linux any; waits for a unit and takes it
//     bool try_wait()                         a thread or a task; takes one if there is one now
//     Result<bool> wait_for(Nanoseconds time) a thread; false: there was none for so long. Errors: a negative time
//     void post()                             a thread or a task: one unit more
//     void post_from_interrupt()              the same, in an interrupt or signal handler. Never waits
//     SemaphoreKind kind() const
//     static bool supports(SemaphoreKind kind)
//
// It may be moved, and destroyed, while nobody uses it. A thread whose wait() has returned may destroy it even if the
// post() that woke it has not returned yet. Posting more than max_units is a panic.
#pragma once

#include <array>
#include <cstdint>

#include "base/result.hpp"
#include "base/units.hpp"
#include "tasks/threads/semaphore_kind.hpp"
#include "thread_backend/semaphore.hpp"
