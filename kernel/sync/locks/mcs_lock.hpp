// A lock with a queue: each waiter polls a word of its own, in its own cache, and the holder tells the next one. First
// come, first served, on any number of cores; a lock and an unlock move a constant number of lines between cores.
// (J. Mellor-Crummey and M. Scott, Algorithms for Scalable Synchronization on Shared-Memory Multiprocessors, 1991.)
// Tasks, and threads, which are not preempted while they wait or hold it; not for interrupt handlers. 8 bytes.
//
//     last_ --------------------------.
//     holder's node -> next waiter's -> last waiter's        null: free
#pragma once

#include <atomic>

#include "base/inject.hpp"
#include "base/lock.hpp"
#include "base/preemption.hpp"
#include "base/spin_wait.hpp"

namespace mxk {

class McsLock {
  public:
    // The caller's from lock() to unlock().
    struct Node {
        std::atomic<Node*> next{nullptr};
        std::atomic<bool> waits{false};
    };

    void lock(Node& node) {
        hold_preemption();
        node.next.store(nullptr, std::memory_order_relaxed);
        node.waits.store(true, std::memory_order_relaxed);
        // acq_rel: publishes the node to the next one; acquire: pairs with the exchange to null of the holder before
        Node* const before = last_.exchange(&node, std::memory_order_acq_rel);
        if (before == nullptr) return;
        inject::point();
        before->next.store(&node, std::memory_order_release);                         // pairs with unlock()
        for (SpinWait wait; node.waits.load(std::memory_order_acquire);) wait.turn(); // pairs with unlock()
    }
    void unlock(Node& node) {
        Node* next = node.next.load(std::memory_order_acquire); // pairs with lock() of the next one
        if (next == nullptr) {
            Node* self = &node;
            inject::point();
            // release: pairs with the exchange in lock()
            if (last_.compare_exchange_strong(self, nullptr, std::memory_order_release, std::memory_order_relaxed))
                return release_preemption();
            for (SpinWait wait; (next = node.next.load(std::memory_order_acquire)) == nullptr;) wait.turn();
        }
        next->waits.store(false, std::memory_order_release); // and publishes the section
        release_preemption();
    }

  private:
    std::atomic<Node*> last_{nullptr};
};
static_assert(Lock<McsLock>);

} // namespace mxk
