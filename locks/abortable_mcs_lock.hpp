// A queue as MCS', which a waiter may leave: it marks its record, and a releaser passes over the records
// that are marked, so that nobody is called who is not there. First come, first served among those that stay. (M. Scott
// and W. Scherer, Scalable Queue-Based Spin Locks with Timeout, PPoPP 2001, whose waiter mends the queue itself and
// may have to wait for its neighbours; here it leaves with one compare-and-swap, as in P. Jayanti and S. Jayanti,
// Constant Amortized RMR Complexity Deterministic Abortable Mutual Exclusion, PODC 2019.)
//
// A record is used by others when its owner has left: records go from user to user.
#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>

#include "base/inject.hpp"
#include "locks/algorithm.hpp"
#include "locks/give_up.hpp"

namespace mxk::locks {

template <typename F> class AbortableMcs {
    static_assert(F::is_one_memory);
    static constexpr Handed abandoned = still_waits + 1;
    struct Waiter {
        typename F::template Word<Handed> handed{still_waits};
        typename F::template Word<typename F::template Ref<Waiter>> next{nullptr};
    };
    using Waiters = typename F::template RotatingRecords<Waiter>;
    using Ref = typename F::template Ref<Waiter>;
    struct Tail {
        typename F::template Word<Ref> tail{nullptr};
    };

  public:
    // The user's from acquire() to release(); where the users are groups, the group's.
    struct Node {
        [[no_unique_address]] typename Waiters::Own own;
        typename F::template Plain<Ref> waiter{nullptr};
        [[no_unique_address]] typename F::Count count;
    };
    constexpr explicit AbortableMcs(typename F::Site const& site)
        : waiters_(site)
        , home_(site) {}

    Handed acquire(Node& node) { return acquire_unless(node, NeverGivesUp{}); }
    // still_waits: the caller has given up.
    template <typename GiveUp> Handed acquire_unless(Node& node, GiveUp give_up) {
        if constexpr (!std::same_as<GiveUp, NeverGivesUp>) {
            // One whose time is over leaves no record behind. relaxed: it has seen nothing
            if (home_.far(&Tail::tail).read(std::memory_order_relaxed) && give_up()) return still_waits;
        }
        node.waiter = waiters_.take(node.own);
        // acq_rel: release publishes the record to the next one; acquire pairs with that, and with the cas in release()
        Ref const before = home_.far(&Tail::tail).swap(node.waiter, std::memory_order_acq_rel);
        Handed const handed = !before ? acquire_upper : await(node, before, give_up);
        if (handed != still_waits) node.count.acquired(!before);
        return handed;
    }
    // As Ticket's.
    bool try_acquire(Node& node) {
        // relaxed: the cas acquires
        if (home_.far(&Tail::tail).read(std::memory_order_relaxed)) return false;
        node.waiter = waiters_.take(node.own);
        // acq_rel: as in acquire_unless()
        if (home_.far(&Tail::tail).cas(nullptr, node.waiter, std::memory_order_acq_rel)) {
            waiters_.keep(node.own, node.waiter);
            return false;
        }
        node.count.acquired(true);
        return true;
    }
    void release(Node& node, Handed handed = acquire_upper) {
        for (typename F::Wait wait(waiters_); !pass(node, handed); wait.turn()) {
            Ref const self = node.waiter;
            inject::point();
            // release: publishes the section; pairs with the swap in acquire_unless()
            if (home_.far(&Tail::tail).read(std::memory_order_relaxed) == self &&
                home_.far(&Tail::tail).cas(self, nullptr, std::memory_order_release) == self)
                return waiters_.keep(node.own, self);
        }
    }
    // Hands the lock to the first waiter that has not left. False: there is none that has said so, and the caller has
    // the lock as before.
    bool pass(Node& node, Handed handed) {
        // acquire: pairs with await() of the next one, which initialised its record
        while (Ref const next = waiters_.far(node.waiter, &Waiter::next).read(std::memory_order_acquire)) {
            auto&& state = waiters_.far(next, &Waiter::handed);
            // release: publishes the section; pairs with await()
            bool const has_it = state.cas(still_waits, handed, std::memory_order_release) == still_waits;
            waiters_.keep(node.own, node.waiter); // nobody else knows of it
            if (has_it) return true;
            // acquire: pairs with who has left, whose record is the caller's now
            static_cast<void>(state.read(std::memory_order_acquire));
            node.waiter = next;
        }
        return false;
    }
    // Also if all that wait have left. relaxed: pass() looks again.
    [[nodiscard]] bool alone(Node& node) const {
        return !waiters_.far(node.waiter, &Waiter::next).read(std::memory_order_relaxed);
    }

  private:
    template <typename GiveUp> Handed await(Node& node, Ref before, GiveUp& give_up) {
        inject::point();
        // release: the record is initialised; pairs with pass()
        waiters_.far(before, &Waiter::next).put(node.waiter, std::memory_order_release);
        auto&& handed = waiters_.far(node.waiter, &Waiter::handed);
        typename F::Wait wait(waiters_);
        Handed found = still_waits;
        // acquire: pairs with pass(), which publishes the section before
        while ((found = handed.read(std::memory_order_acquire)) == still_waits) {
            // release: the record is another one's then; pairs with pass()
            if (give_up() && handed.cas(still_waits, abandoned, std::memory_order_release) == still_waits)
                return still_waits;
            wait.turn();
        }
        return found;
    }

    [[no_unique_address]] Waiters waiters_;
    typename F::template Home<Tail> home_;
};

} // namespace mxk::locks
