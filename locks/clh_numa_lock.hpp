// CLH for machines without caches of others' memory: a waiter polls a word of its own, whose whereabouts it leaves in
// the record of the one before. First come, first served; two operations, one after the other, for a hand-over. (T.
// Craig, Building FIFO and Priority-Queueing Spin Locks from Atomic Swap, 1993; A. Uffmann, RMA locks, LMU 2022.)
//
// One-sided operations: 1 at the home and 2 on records to acquire; 1 on a record to release, and 1 on the waiter's
// word.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/inject.hpp"
#include "locks/algorithm.hpp"

namespace mxk::locks {

template <typename F> class ClhNuma {
    static constexpr std::int64_t granted = -2;
    static constexpr std::int64_t pending = -1;
    struct Spin {
        typename F::template Word<std::uint32_t> waits{0};
    };
    using Spins = typename F::template Records<Spin>;
    using SpinRef = typename F::template Ref<Spin>;
    // `granted`: its user has released; `pending`: nobody is known to wait for that; else the waiter's word.
    struct Request {
        typename F::template Word<std::int64_t> status{granted};
    };
    using Requests = typename F::template RotatingRecords<Request>;
    using Ref = typename F::template Ref<Request>;
    struct Tail {
        typename F::template Word<Ref> tail{nullptr};
    };

  public:
    // One for each user, as long as it uses the lock.
    struct Node {
        typename Requests::Own own;
        typename Spins::Own spin;
        Ref request{};
        Ref watched{};
        [[no_unique_address]] typename F::Count count;
    };
    explicit ClhNuma(typename F::Site const& site)
        : requests_(site)
        , spins_(site)
        , home_(site) {
        // relaxed, and at the end: nobody else has the lock
        home_.far(&Tail::tail).acc(requests_.first(), std::memory_order_relaxed);
    }
    ~ClhNuma() { requests_.end(home_.far(&Tail::tail).read(std::memory_order_relaxed)); }
    ClhNuma(ClhNuma const&) = delete;
    ClhNuma& operator=(ClhNuma const&) = delete;

    void acquire(Node& node) {
        node.request = requests_.take(node.own);
        Spin& own = spins_.own(node.spin);
        // relaxed: the swaps publish both
        own.waits.store(1, std::memory_order_relaxed);
        requests_.far(node.request, &Request::status).put(pending, std::memory_order_relaxed);
        // acq_rel: release publishes the record; acquire that of the one before
        node.watched = home_.far(&Tail::tail).swap(node.request, std::memory_order_acq_rel);
        inject::point();
        // acq_rel: acquire pairs with the swap of a holder that has released; release publishes the own word
        bool const at_once = requests_.far(node.watched, &Request::status)
                                 .swap(as_status(spins_.ref(node.spin)), std::memory_order_acq_rel) == granted;
        node.count.acquired(at_once);
        if (at_once) return;
        typename F::Wait wait(spins_);
        while (own.waits.load(std::memory_order_acquire) != 0) wait.turn(); // acquire: pairs with release()
    }
    void release(Node& node) {
        Ref const watched = node.watched;
        // acq_rel: release publishes the section to one that comes later; acquire pairs with the waiter's swap
        std::int64_t const waiter =
            requests_.far(node.request, &Request::status).swap(granted, std::memory_order_acq_rel);
        // release: publishes the section
        if (waiter != pending) spins_.far(as_ref(waiter), &Spin::waits).put(0, std::memory_order_release);
        requests_.keep(node.own, watched);
    }

  private:
    static std::int64_t as_status(SpinRef ref) {
        if constexpr (F::is_one_memory)
            return reinterpret_cast<std::int64_t>(ref);
        else
            return ref.worker;
    }
    static SpinRef as_ref(std::int64_t status) {
        if constexpr (F::is_one_memory)
            return reinterpret_cast<SpinRef>(status);
        else
            return SpinRef(static_cast<WorkerNumber>(status));
    }

    Requests requests_;
    Spins spins_;
    typename F::template Home<Tail> home_;
};

} // namespace mxk::locks
