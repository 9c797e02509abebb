// An interrupt handler that enqueues items of work.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tasks/workqueue/work_queue.hpp"

namespace mxk {

// Each enqueues the next of these items, on whichever core it interrupts. One at a time. Made and destroyed by a task,
// while none are under way: a test waits until those that it has sent are counted.
class EnqueueingInterrupts {
  public:
    // `function` runs each item.
    EnqueueingInterrupts(unsigned vector, WorkQueue& queue, std::span<WorkItem> items, WorkItem::Function function);
    ~EnqueueingInterrupts();
    EnqueueingInterrupts(EnqueueingInterrupts const&) = delete;
    EnqueueingInterrupts& operator=(EnqueueingInterrupts const&) = delete;

    // Interrupts the core with this id. Any core.
    void send(std::size_t core) const;
    [[nodiscard]] std::size_t handled() const { return handled_.load(std::memory_order_acquire); }
    [[nodiscard]] std::size_t refused() const { return refused_.load(std::memory_order_relaxed); }

  private:
    static void handle();

    unsigned vector_;
    WorkQueue& queue_;
    std::span<WorkItem> items_;
    WorkItem::Function function_;
    std::atomic<std::size_t> next_{0};
    std::atomic<std::size_t> handled_{0};
    std::atomic<std::size_t> refused_{0};
};

} // namespace mxk
