// Is told when a thread waits: a pool of threads (tasks/workqueue/) has another one run meanwhile.
#pragma once

namespace mxk {

// Both are called in pairs for each wait that does not end at once: for a semaphore and all that stands on one (mutex,
// condition variable, barrier, join()), or for a time. In the thread itself or, on metal, in a task on some core; with
// no lock of the thread layer held. They must not wait.
class WaitObserver {
  public:
    // Before anybody can end the wait.
    virtual void wait_begins() = 0;
    // On metal before the thread stands in its core's queue again; in the Linux build, where the system ends waits, in
    // the thread as soon as it runs.
    virtual void wait_ends() = 0;

  protected:
    ~WaitObserver() = default;
};

} // namespace mxk
