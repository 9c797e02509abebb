// How a core that has nothing to do goes to sleep without missing mail. Receiver: says that it sleeps, then looks into
// the mailbox once more. Sender: pushes, then looks whether the receiver sleeps. All four are sequentially consistent,
// so one of them sees the other: the receiver stays awake, or the sender rings.
#pragma once

#include <atomic>

#include "base/inject.hpp"

namespace mxk {

class Doorbell {
  public:
    // The receiver, before its last look at the mailbox.
    void going_to_sleep() {
        sleeps_.store(true, std::memory_order_seq_cst);
        inject::point();
    }
    // The receiver, however it was woken.
    void awake() { sleeps_.store(false, std::memory_order_relaxed); }

    // A sender, after its push: true if it must wake the receiver. Only one of several senders is told to.
    [[nodiscard]] bool must_ring() {
        inject::point();
        return sleeps_.load(std::memory_order_seq_cst) && sleeps_.exchange(false, std::memory_order_relaxed);
    }

  private:
    std::atomic<bool> sleeps_{false};
};

} // namespace mxk
