// What all locks have in common: spin locks, mutexes, semaphores as locks, and the queue locks to come. A caller brings
// a node, which belongs to it from lock() to unlock(): a lock with a queue of waiters (MCS, CLH) links the nodes; one
// without has an empty node, and then `lock.lock()` alone works, too. Code that takes any lock is a template over Lock
// and uses the guard:
//
//     LockGuard const guard(lock);      locked until the end of the block; the node stands in the guard
//
// Locks that need nothing but base/ are here; those that need the kernel go to kernel/sync/, those of threads are in
// tasks/threads/. Which lock may be taken while another is held: base/lock_rank.hpp.
#pragma once

#include <concepts>
#include <source_location>

namespace mxk {

// The node of a lock that has no queue. All callers of all such locks may share the one below.
struct NoLockNode {};
inline constinit NoLockNode no_lock_node;

template <typename T>
concept Lock = std::default_initializable<typename T::Node> && requires(T& lock, typename T::Node& node) {
    lock.lock(node);   // waits until the caller has it
    lock.unlock(node); // the holder, with the node of its lock()
};

// A lock that can say at once whether the caller has it now.
template <typename T>
concept TryLock = Lock<T> && requires(T& lock, typename T::Node& node) {
    { lock.try_lock(node) } -> std::same_as<bool>;
};

// Holds the lock for as long as it lives. Who may make one: who may call lock().
template <Lock LockType> class [[nodiscard]] LockGuard {
  public:
    // `where`: for locks that check their order.
    explicit LockGuard(LockType& lock, std::source_location where = std::source_location::current())
        : lock_(lock) {
        if constexpr (requires { lock.lock(node_, where); })
            lock_.lock(node_, where);
        else
            lock_.lock(node_);
    }
    ~LockGuard() { lock_.unlock(node_); }
    LockGuard(LockGuard const&) = delete;
    LockGuard& operator=(LockGuard const&) = delete;

  private:
    LockType& lock_;
    [[no_unique_address]] typename LockType::Node node_{};
};

} // namespace mxk
