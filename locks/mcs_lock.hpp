// A queue whose waiters each poll a word of their own record, which the one before opens: first come, first served, on
// any number of workers, and a constant number of operations on others' memory. (J. Mellor-Crummey and M. Scott,
// Algorithms for Scalable Synchronization on Shared-Memory Multiprocessors, 1991; A. Uffmann, RMA locks, LMU 2022, for
// distributed memory: hand-over by a store, or by an empty message.)
//
//     tail --------------------------------.
//     holder's record -> next waiter's -> last waiter's        null: free
//
// One-sided operations: 1 at the home to acquire, 1 to release; queued 1 on the record before, and then the hand-over
// is 1 on the next record, or a message. Waiters poll plain memory.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/inject.hpp"
#include "locks/algorithm.hpp"

namespace mxk::locks {

enum class HandOver : std::uint8_t { Store, Message };

template <typename F, HandOver hand_over = HandOver::Store> class Mcs {
    struct Waiter {
        typename F::template Word<Handed> handed{acquire_upper};
        typename F::template Word<typename F::template Ref<Waiter>> next{nullptr};
    };
    using Ref = typename F::template Ref<Waiter>;
    struct Tail {
        typename F::template Word<Ref> tail{nullptr};
    };
    using Waiters = typename F::template Records<Waiter>;

  public:
    // The user's from acquire() to release(); where the users are groups, the group's.
    struct Node {
        typename Waiters::Own own;
        [[no_unique_address]] typename F::Count count;
    };
    constexpr explicit Mcs(typename F::Site const& site)
        : home_(site)
        , waiters_(site) {}

    [[gnu::always_inline]] Handed acquire(Node& node) { return enter(node).handed; }
    struct Entry {
        Handed handed;
        bool at_once; // nobody was before
    };
    // acquire(), which says how it was.
    [[gnu::always_inline]] Entry enter(Node& node) {
        Waiter& own = waiters_.own(node.own);
        // relaxed: the swap publishes the record
        own.next.store(nullptr, std::memory_order_relaxed);
        if constexpr (hand_over == HandOver::Store) own.handed.store(still_waits, std::memory_order_relaxed);
        // acq_rel: release publishes the record to the next one; acquire pairs with that, and with the cas in release()
        Ref const before = home_.far(&Tail::tail).swap(waiters_.ref(node.own), std::memory_order_acq_rel);
        node.count.acquired(!before);
        if (!before) return {acquire_upper, true};
        return {await(node, before), false};
    }
    // As Ticket's.
    bool try_acquire(Node& node) {
        Waiter& own = waiters_.own(node.own);
        own.next.store(nullptr, std::memory_order_relaxed);
        // acq_rel: as in acquire()
        if (home_.far(&Tail::tail).cas(nullptr, waiters_.ref(node.own), std::memory_order_acq_rel)) return false;
        node.count.acquired(true);
        return true;
    }
    [[gnu::always_inline]] void release(Node& node, Handed handed = acquire_upper) {
        Waiter& own = waiters_.own(node.own);
        // acquire, twice: pairs with await() of the next one, so that the hand-over comes after its own `still_waits`
        Ref next = own.next.load(std::memory_order_acquire);
        if (!next) {
            inject::point();
            // release: publishes the section; pairs with the swap in acquire()
            Ref const self = waiters_.ref(node.own);
            if (is_last(self) && home_.far(&Tail::tail).cas(self, nullptr, std::memory_order_release) == self) return;
            typename F::Wait wait(waiters_);
            while (!(next = own.next.load(std::memory_order_acquire))) wait.turn();
        }
        if constexpr (hand_over == HandOver::Store)
            waiters_.far(next, &Waiter::handed).put(handed, std::memory_order_release); // pairs with await()
        else
            waiters_.send(next);
    }
    // As it was; of one memory. relaxed: enter() finds out.
    [[nodiscard]] bool is_free() const { return !home_.far(&Tail::tail).read(std::memory_order_relaxed); }
    // Also if another one has joined the queue but is still to say so. relaxed: release() looks again.
    [[nodiscard]] bool alone(Node& node) const { return !waiters_.own(node.own).next.load(std::memory_order_relaxed); }

  private:
    // Where to look is cheap: whether another one has not joined the queue yet. To find that by a swap that fails would
    // take the line from those who do.
    bool is_last(Ref self) const {
        if constexpr (F::is_one_memory)
            return home_.far(&Tail::tail).read(std::memory_order_relaxed) == self;
        else
            return true;
    }
    Handed await(Node& node, Ref before) {
        Waiter& own = waiters_.own(node.own);
        inject::point();
        if constexpr (hand_over == HandOver::Message) {
            waiters_.far(before, &Waiter::next).put(waiters_.receiver(), std::memory_order_release);
            waiters_.receive();
            return acquire_upper;
        } else {
            // release: the record is initialised; pairs with the loads in release()
            waiters_.far(before, &Waiter::next).put(waiters_.ref(node.own), std::memory_order_release);
            Handed handed = still_waits;
            typename F::Wait wait(waiters_);
            // acquire: pairs with release(), which publishes the section before
            while ((handed = own.handed.load(std::memory_order_acquire)) == still_waits) wait.turn();
            return handed;
        }
    }

    typename F::template Home<Tail> home_;
    [[no_unique_address]] Waiters waiters_;
};

} // namespace mxk::locks

namespace mxk {

// Tasks, and threads, which are not preempted while they wait or hold it; not for interrupt handlers. 8 bytes.
using McsLock = locks::KernelLock<locks::Mcs<locks::Smp>>;
static_assert(Lock<McsLock> && sizeof(McsLock) == sizeof(void*));

} // namespace mxk
