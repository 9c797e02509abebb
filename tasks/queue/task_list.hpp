// A FIFO of tasks for one core: plain pointers, no atomics. Legal states: both null (empty), or both set and the last
// one's next null.
#pragma once

#include "tasks/task.hpp"

namespace mxk {

class TaskList {
  public:
    void append(Task& task) {
        task.next = nullptr;
        (last_ != nullptr ? last_->next : first_) = &task;
        last_ = &task;
    }

    // Null if empty.
    Task* take() {
        Task* const task = first_;
        if (task == nullptr) return nullptr;
        first_ = task->next;
        if (first_ == nullptr) last_ = nullptr;
        return task;
    }

    [[nodiscard]] bool empty() const { return first_ == nullptr; }
    // Null if empty; the others by `next`.
    [[nodiscard]] Task* first() const { return first_; }

    // Appends all of `other`, which is empty then.
    void splice(TaskList& other) {
        if (other.empty()) return;
        (last_ != nullptr ? last_->next : first_) = other.first_;
        last_ = other.last_;
        other.first_ = other.last_ = nullptr;
    }

    // Puts the task in front: for taking over a list that is in reverse order.
    void prepend(Task& task) {
        task.next = first_;
        first_ = &task;
        if (last_ == nullptr) last_ = &task;
    }

  private:
    Task* first_ = nullptr;
    Task* last_ = nullptr;
};

} // namespace mxk
