// MCS over one-sided operations as it was published (W. Gropp et al., Using Advanced MPI, 2014; P. Schmid, M. Besta and
// T. Hoefler, High-Performance Distributed RMA Locks, HPDC 2016), and its first two improvements (A. Uffmann, RMA
// locks, LMU 2022): the operations on other records are completed at once, and are plain stores. With both it is
// mcs_lock.hpp; here they can be compared. First come, first served.
//
// One-sided operations: 1 at the home to acquire, 1 to release; queued 1 on the record before, and the hand-over is 1
// on the next record.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/inject.hpp"
#include "locks/algorithm.hpp"

namespace mxk::locks {

enum class DMcsStep : std::uint8_t { Published, Completed, Put };

template <typename F, DMcsStep step> class DMcs {
    struct Waiter {
        typename F::template Word<std::int64_t> is_blocked{0};
        typename F::template Word<typename F::template Ref<Waiter>> next{nullptr};
    };
    using Ref = typename F::template Ref<Waiter>;
    struct Tail {
        typename F::template Word<Ref> tail{nullptr};
    };
    using Waiters = typename F::template Records<Waiter>;

  public:
    struct Node {
        typename Waiters::Own own;
        [[no_unique_address]] typename F::Count count;
    };
    explicit DMcs(typename F::Site const& site)
        : home_(site)
        , waiters_(site) {}

    void acquire(Node& node) {
        Waiter& own = waiters_.own(node.own);
        own.next.store(nullptr, std::memory_order_relaxed);
        own.is_blocked.store(1, std::memory_order_relaxed);
        Ref const self = waiters_.ref(node.own);
        // Orders as in mcs_lock.hpp.
        Ref const before = home_.far(&Tail::tail).swap(self, std::memory_order_acq_rel);
        node.count.acquired(!before);
        if (!before) return;
        inject::point();
        write(waiters_.far(before, &Waiter::next), self);
        typename F::Wait wait(waiters_);
        while (own.is_blocked.load(std::memory_order_acquire) != 0) wait.turn();
    }
    void release(Node& node) {
        Waiter& own = waiters_.own(node.own);
        Ref next = own.next.load(std::memory_order_acquire);
        if (!next) {
            inject::point();
            Ref const self = waiters_.ref(node.own);
            if (home_.far(&Tail::tail).cas(self, nullptr, std::memory_order_release) == self) return;
            typename F::Wait wait(waiters_);
            while (!(next = own.next.load(std::memory_order_acquire))) wait.turn();
        }
        write(waiters_.far(next, &Waiter::is_blocked), std::int64_t{0});
    }

  private:
    template <typename Word, typename V> static void write(Word&& word, V value) {
        if constexpr (step == DMcsStep::Published)
            word.acc_later(value);
        else if constexpr (step == DMcsStep::Completed)
            word.acc(value, std::memory_order_release);
        else
            word.put(value, std::memory_order_release);
    }

    typename F::template Home<Tail> home_;
    Waiters waiters_;
};

} // namespace mxk::locks
