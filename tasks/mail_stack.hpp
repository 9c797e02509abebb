// Tasks on their way to one core from many, without any memory of its own: a sender pushes onto a stack with one
// compare-exchange; the receiver takes the whole stack with one exchange and reverses it, which gives back the order of
// the pushes, and so FIFO per sender. Unbounded (tasks bring their own link), never blocks, and the receiver never
// waits for a sender that was interrupted half-way, since a push is done or not done.
#pragma once

#include <atomic>

#include "base/inject.hpp"
#include "tasks/task_list.hpp"

namespace mxk {

class MailStack {
  public:
    // Any core.
    void push(Task& task) {
        Task* head = head_.load(std::memory_order_relaxed);
        do {
            task.next = head;
            inject::point();
            // release: publishes the task, pairs with the exchange in take_all(). seq_cst: with has_mail() and the
            // doorbell it decides who sees whom (doorbell.hpp).
        } while (!head_.compare_exchange_weak(head, &task, std::memory_order_seq_cst, std::memory_order_relaxed));
    }

    // The receiver only. Everything pushed so far, oldest first.
    TaskList take_all() {
        TaskList result;
        if (head_.load(std::memory_order_relaxed) == nullptr) return result; // leaves the line shared
        Task* newest = head_.exchange(nullptr, std::memory_order_acquire);
        while (newest != nullptr) {
            Task* const older = newest->next;
            result.prepend(*newest);
            newest = older;
        }
        return result;
    }

    // The receiver only.
    [[nodiscard]] bool has_mail() const { return head_.load(std::memory_order_seq_cst) != nullptr; }

  private:
    std::atomic<Task*> head_{nullptr};
};

} // namespace mxk
