// Tasks on their way to one core from many, without any memory of its own: a sender pushes onto a stack
// (base/push_stack.hpp); the receiver takes the whole stack and reverses it, which gives back the order of the pushes,
// and so FIFO per sender. Unbounded, never blocks, and the receiver never waits for a sender.
#pragma once

#include <utility>

#include "base/push_stack.hpp"
#include "tasks/queue/task_list.hpp"

namespace mxk {

class MailStack {
  public:
    // Any core. seq_cst: with has_mail() and the doorbell it decides who sees whom (doorbell.hpp).
    void push(Task& task) { tasks_.push(task); }

    // The receiver only. Everything pushed so far, oldest first.
    TaskList take_all() {
        TaskList result;
        for (Task* newest = tasks_.take_newest_first(); newest != nullptr;)
            result.prepend(*std::exchange(newest, newest->next));
        return result;
    }

    // The receiver only.
    [[nodiscard]] bool has_mail() const { return !tasks_.empty(); }

  private:
    PushStack<Task, &Task::next> tasks_;
};

} // namespace mxk
