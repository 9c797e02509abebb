// A lock that costs its owner nothing as long as nobody else comes: while it is disabled the owner executes one load, a
// compare and a branch, and the lock beneath is not even read. It becomes a lock like the one beneath, and the reverse,
// while it is in use (lock_state.hpp says how, and why that is safe). Who changes it: callers of enable() and
// disable(); a thread that comes to it from elsewhere, which enables it and waits; and, where a policy is set, the
// policy (visitor_policy.hpp).
//
//     DynamicLock<SpinLock> lock(lock_bands::application.rank(3));
//     a task       if (!lock.may_lock()) return later.append(task, lock);       (tasks/rcu/lock_wait.hpp)
//                  LockGuard const guard(lock);
//     a thread     LockGuard const guard(lock);                                  with ThreadVisit
#pragma once

#include <cstdint>
#include <utility>

#include "arch/sections.hpp"
#include "base/lock.hpp"
#include "kernel/sync/adaptive/lock_state.hpp"
#include "kernel/sync/adaptive/visit.hpp"
#include "kernel/sync/adaptive/visitor_policy.hpp"
#include "kernel/sync/rcu/callback.hpp"

namespace mxk {

// Inner: any lock. Visit: who locks (visit.hpp). Enabled at first.
template <Lock Inner, typename Visit = TaskVisit, typename Window = GraceWindow> class DynamicLock {
  public:
    // Remembers how the visit has begun: the state may be another one at its end.
    struct Node {
        [[no_unique_address]] typename Inner::Node inner{};
        bool is_locked = false;
    };

    // `inner`: for the lock beneath.
    template <typename... Arguments>
    constexpr explicit DynamicLock(Arguments&&... inner)
        : inner_(std::forward<Arguments>(inner)...) {}

    // Waits until the caller has it. Of a thread that is not the owner of a disabled lock: enables it, and waits for a
    // grace period, some microseconds; it holds no spin lock and is in no read section then. A task asks before.
    [[gnu::always_inline]] void lock(Node& node) {
        Visit::begin();
        auto const state = state_.look();
        node.is_locked = !state.is_free_for(arch::exclusive_id());
        if (node.is_locked) [[unlikely]]
            lock_beneath(node, state);
    }
    [[gnu::always_inline]] void unlock(Node& node) {
        if (node.is_locked) [[unlikely]]
            unlock_beneath(node);
        else
            Visit::end_unlocked();
    }

    // Whether lock() goes on here without waiting for a change of state. In a task it stays so until the body's end.
    // The caller counts as one who comes: a change that would make the lock another's is cancelled.
    [[nodiscard]] bool may_lock() {
        auto const visitor = arch::exclusive_id();
        return state_.look().is_free_for(visitor) || state_.take(visitor);
    }

    // All below: any core; never block.

    // After a grace period at the latest all take the lock beneath. Next, or Expedited: threads are interrupted for it.
    void enable(rcu::Urgency urgency = rcu::Urgency::Next) { state_.enable(urgency); }
    // After a grace period the caller's core (on Linux: the calling thread) comes without lock. False if it was not
    // enabled, or a change is under way: nothing changes then.
    bool disable(rcu::Urgency urgency = rcu::Urgency::Next) { return state_.disable(arch::exclusive_id(), urgency); }

    [[nodiscard]] bool is_enabled() const { return state_.is_enabled(); }
    [[nodiscard]] bool is_disabled() const { return state_.is_disabled(); }
    // No change is under way: so it may be destroyed.
    [[nodiscard]] bool is_stable() const { return state_.is_stable(); }

    // Who decides from now on when it is disabled; null: nobody. Lives as long as the lock. By its holder, or before
    // others know the lock.
    void set_policy(VisitorPolicy* policy) { policy_ = policy; }

  private:
    // Inline, since what stands between two atomic instructions shows: a call would cost three cycles with an MCS lock.
    [[gnu::always_inline]] void lock_beneath(Node& node, typename LockState<Window>::Look state) {
        if (!state.is_taken_by_all() && !await(arch::exclusive_id())) [[unlikely]] {
            node.is_locked = false;
            return;
        }
        Visit::begin_locked();
        inner_.lock(node.inner);
        if (policy_ != nullptr) [[unlikely]]
            follow_policy();
    }
    [[gnu::always_inline]] void unlock_beneath(Node& node) {
        inner_.unlock(node.inner);
        Visit::end_locked();
    }
    // False: the state has become one in which this visitor goes on without the lock.
    [[gnu::noinline]] bool await(std::uintptr_t visitor) {
        for (;;) {
            if (state_.look().is_free_for(visitor)) return false;
            if (state_.take(visitor)) return true;
            Visit::begin_locked(); // may be preempted
            Visit::end_locked();
            state_.template await<Visit>([this] { return may_lock(); });
            Visit::begin();
        }
    }
    // The holder of the lock beneath.
    [[gnu::noinline]] void follow_policy() {
        auto const visitor = arch::exclusive_id();
        if (policy_->visited_by(visitor)) state_.disable(visitor, rcu::Urgency::Batched);
    }

    LockState<Window> state_;
    VisitorPolicy* policy_ = nullptr;
    Inner inner_;
};

} // namespace mxk
