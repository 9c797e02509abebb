// An interrupt handler that posts a semaphore.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "kernel/memory/node_vector.hpp"
#include "tasks/threads/semaphore.hpp"

namespace mxk {

// Post a semaphore on whichever core they interrupt, and count there. One at a time. Made and destroyed by a task,
// while none are under way: a test waits until those that it has sent are counted.
class PostingInterrupts {
  public:
    PostingInterrupts(unsigned vector, Semaphore& semaphore);
    ~PostingInterrupts();
    PostingInterrupts(PostingInterrupts const&) = delete;
    PostingInterrupts& operator=(PostingInterrupts const&) = delete;

    // Interrupts the core with this id. Any core.
    void send(std::size_t core) const;
    // How many it has handled, the semaphore's posting included.
    [[nodiscard]] std::uint64_t handled_by(std::size_t core) const {
        return counts_[core].load(std::memory_order_acquire);
    }

  private:
    static void handle();

    unsigned vector_;
    Semaphore& semaphore_;
    NodeVector<std::atomic<std::uint64_t>> counts_; // by core id
};

} // namespace mxk
