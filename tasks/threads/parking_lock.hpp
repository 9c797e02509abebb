// A lock of threads that does not collapse when there are more threads than processors: a waiter polls for a while,
// then parks; a thread that comes while the lock is free takes it at once, also before parked ones, so that the lock
// never waits for a thread that is not running; and of the parked ones, one at a time is awake and polls, so that few
// releases have to wake anybody. One that has been awake in vain for 1 ms keeps all others from going first: nobody
// starves. (The ideas: S. Kashyap et al., Scalable NUMA-aware Blocking Synchronization Primitives, 2017, and Scalable
// and Practical Locking with Shuffling, 2019: waiters that spin until their slice ends; D. Dice, Malthusian Locks,
// 2017.)
//
//     word_: held | parked: there are parked threads | barred: only the awake one may take it
#pragma once

#include <atomic>
#include <cstdint>

#include "base/lock.hpp"
#include "base/spin_lock.hpp"
#include "tasks/threads/semaphore.hpp"

namespace mxk {

// Threads only; not recursive. A holder may be preempted.
class ParkingLock {
  public:
    // The caller's from lock() to unlock().
    struct Node {
        Node* next = nullptr; // parked after this one
        Semaphore* semaphore = nullptr;
    };

    ParkingLock() = default;
    ParkingLock(ParkingLock const&) = delete;
    ParkingLock& operator=(ParkingLock const&) = delete;

    // Waits until the caller has it.
    void lock(Node& node);
    // Whether the caller has it now. Never waits.
    bool try_lock(Node& node);
    void unlock(Node& node);

  private:
    static constexpr std::uint32_t held = 1;
    static constexpr std::uint32_t parked = 2;
    static constexpr std::uint32_t barred = 4;

    bool try_to_take();
    void wait(Node& node);
    bool poll(std::uint32_t keeps_out);
    void park(Node& node, bool is_awake);
    void leave_list();
    void wake_first();

    std::atomic<std::uint32_t> word_{0};
    std::atomic<bool> has_awake_{false}; // changes under list_lock_; one of those that were parked is on its way
    SpinLock list_lock_{lock_bands::objects.rank(8)};
    Node* first_ = nullptr; // of the parked
    Node* last_ = nullptr;
};
static_assert(TryLock<ParkingLock>);

} // namespace mxk
