// Wakes a task that waits for something outside of its request, a socket, a timer, another program: from any thread or
// core, whether the task runs, waits, has not begun, or has ended. While it waits it is idle and costs nothing.
//
//     struct Feed : Query { TaskWaker arrived; ... };      beside the query, or elsewhere: the rule is below
//     arrived.wake();                                      any thread, after it has put something where the task looks
//
// The task looks for what it waits for in each of its runs, and waits if there is nothing; a wake makes one more run
// that begins after it. So none is lost, and there may be runs that find nothing. What comes before the task is
// attached, its first run finds.
//
// A waker is one task's at a time, and lives longer than the request object of that task, since cancel() wakes all of
// its tasks. The caller of wake() sees to it that the waker is still there; the request may have ended.
//
//     Unused -> Ready -> Sent -> Ready        Sent: a core is on its way to schedule the task, which cannot end before
//       ^         |        |
//       +---------+     Closing -> Unused     Closing: and it is about to end
#pragma once

#include <atomic>
#include <cstdint>

#include "tasks/dataflow/reschedulable_task.hpp"

namespace mxk::dataflow {

class TaskWaker {
  public:
    TaskWaker() = default;
    TaskWaker(TaskWaker const&) = delete;
    TaskWaker& operator=(TaskWaker const&) = delete;
    ~TaskWaker();

    // Any thread or core, not in an interrupt; never blocks, except for short locks. From a thread, or a core that is
    // not the scheduler's, it goes by a core of the scheduler, which comes to it between two tasks. False: there is no
    // task, or it is about to end.
    bool wake();

    // The core that makes the task, before it is scheduled.
    void attach(ReschedulableTask& task, CoreId core);
    // The task, in a run after which it would end. False: it must wait, and is scheduled once more.
    [[nodiscard]] bool detach();

    TaskWaker* next_of_request = nullptr;

  private:
    enum class State : std::uint8_t { Unused, Ready, Sent, Closing };
    struct Letter : Task {
        explicit Letter(TaskWaker& its_waker)
            : Task(&TaskWaker::arrive)
            , waker(its_waker) {}
        TaskWaker& waker;
    };

    static State woken(State state);
    static State delivered(State state);
    static State closed(State state);
    // Gives the state before.
    State step(State (*next)(State));
    static void arrive(Worker& worker, Task& letter);
    void deliver(CoreScheduler& here);

    std::atomic<State> state_{State::Unused};
    ReschedulableTask* task_ = nullptr;
    Letter letter_{*this};
};

} // namespace mxk::dataflow
