// An interrupt handler that is a reader, and gives a callback.
#pragma once

#include <atomic>
#include <cstddef>

#include "kernel/sync/rcu/callback.hpp"

namespace mxk {

// Enters a read section on the core that it interrupts, gives the callback, if there is one, and stays until it is let
// go. One at a time, of one core. Made and destroyed by a task, while none is under way.
class ReadingInterrupt {
  public:
    explicit ReadingInterrupt(unsigned vector);
    ~ReadingInterrupt();
    ReadingInterrupt(ReadingInterrupt const&) = delete;
    ReadingInterrupt& operator=(ReadingInterrupt const&) = delete;

    // Interrupts the core with this id. Any core.
    void send(std::size_t core, rcu::Callback* callback);
    [[nodiscard]] bool is_inside() const { return is_inside_.load(std::memory_order_acquire); }
    [[nodiscard]] bool has_left() const { return has_left_.load(std::memory_order_acquire); }
    void let_go() { may_leave_.store(true, std::memory_order_release); }

  private:
    static void handle();

    unsigned vector_;
    rcu::Callback* callback_ = nullptr;
    std::atomic<bool> is_inside_{false};
    std::atomic<bool> may_leave_{false};
    std::atomic<bool> has_left_{false};
};

} // namespace mxk
