// Ending a thread from outside. A thread that runs code of any kind cannot be ended safely: somebody may wait for what
// it was about to do. So only those end that have said that they may, and only where nothing of the thread layer is
// left half done:
//
//     metal   while it waits for a semaphore or sleeps, when it begins to, when it yields, or when its slice has ended
//     Linux   while it waits for a semaphore or sleeps, when it begins to, when it yields (the system's preemption is
//             not seen); a loop that does none of these asks end_if_killed()
//
// It ends as by this_thread::exit(): its joiner is told, and on metal nothing on its stack is destroyed. It does not
// end while it has a mutex, or is in join(), a condition variable's wait or a barrier, but as soon as it has left all
// of them. Units of semaphores that it has taken stay taken (a SemaphoreLock stays locked), but a unit that is being
// handed to it lets it go on to the next of those points. Protected sections that it is in are over, with a WARN.
#pragma once

#include <cstdint>

#include "base/result.hpp"

namespace mxk {

// The calling thread may be ended from here on: it holds nothing at the points above that others need, and nobody else
// refers to its stack.
void become_killable();

// The calling thread ends here if that is wanted. Returns in a task, too.
void end_if_killed();

// Wants the end of the thread with that id ('threads' shows them); returns before it has come. Errors: there is none,
// it has not become killable, it has ended. Waits for the thread's core to be between two tasks. Tasks and threads.
Result<void> kill_thread(std::uint32_t id);

// The calling thread, if it is one, does not end while this lives.
class EndHold {
  public:
    EndHold();
    ~EndHold();
    EndHold(EndHold const&) = delete;
    EndHold& operator=(EndHold const&) = delete;
};

} // namespace mxk
