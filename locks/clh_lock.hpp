// A queue whose waiters poll the record of the one before; who unlocks leaves its own record to the next one and takes
// the one it has polled. First come, first served. Good where what is polled stays in a cache; each poll is an
// operation on another's memory elsewhere. (T. Craig, 1993; P. Magnusson, A. Landin and E. Hagersten, 1994; A. Uffmann,
// RMA locks, LMU 2022.)
//
// One-sided operations: 1 at the home and about 1 on a record to acquire, and 1 to initialise the own one; 1 for each
// further look; 1 on the own record, which is anywhere, to release.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/inject.hpp"
#include "locks/algorithm.hpp"

namespace mxk::locks {

template <typename F> class Clh {
    struct Request {
        typename F::template Word<Handed> handed{acquire_upper}; // still_waits: its user waits or holds the lock
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
        Ref request{};
        Ref watched{};
        [[no_unique_address]] typename F::Count count;
    };
    explicit Clh(typename F::Site const& site)
        : requests_(site)
        , home_(site) {
        // relaxed, and at the end: nobody else has the lock
        home_.far(&Tail::tail).acc(requests_.first(), std::memory_order_relaxed);
    }
    ~Clh() { requests_.end(home_.far(&Tail::tail).read(std::memory_order_relaxed)); }
    Clh(Clh const&) = delete;
    Clh& operator=(Clh const&) = delete;

    Handed acquire(Node& node) {
        node.request = requests_.take(node.own);
        // relaxed: the swap publishes the record
        requests_.far(node.request, &Request::handed).put(still_waits, std::memory_order_relaxed);
        // acq_rel: release publishes the record; acquire that of the one before
        node.watched = home_.far(&Tail::tail).swap(node.request, std::memory_order_acq_rel);
        auto&& watched = requests_.far(node.watched, &Request::handed);
        inject::point();
        // acquire, twice: pairs with release(); the section before is over, and the record it used is the caller's
        Handed handed = watched.read(std::memory_order_acquire);
        node.count.acquired(handed != still_waits);
        if (handed == still_waits) [[unlikely]] {
            typename F::Wait wait(requests_);
            do wait.turn();
            while ((handed = watched.read(std::memory_order_acquire)) == still_waits);
        }
        return handed;
    }
    void release(Node& node, Handed handed = acquire_upper) {
        // Not used after the store: from then on it is the next one's.
        Ref const watched = node.watched;
        // release: publishes the section; pairs with acquire()
        requests_.far(node.request, &Request::handed).put(handed, std::memory_order_release);
        requests_.keep(node.own, watched);
    }
    // relaxed: a hint.
    [[nodiscard]] bool alone(Node& node) const {
        return home_.far(&Tail::tail).read(std::memory_order_relaxed) == node.request;
    }

  private:
    Requests requests_;
    typename F::template Home<Tail> home_;
};

} // namespace mxk::locks
