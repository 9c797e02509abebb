// The MCS lock of the library DASH, which hands over by an empty message, and its improvements one by one (A. Uffmann,
// RMA locks, LMU 2022): a holder looks for a successor before it asks the home; it looks by a plain load; a worker that
// joins the queue stores its number where nobody else writes. With all of them it is mcs_lock.hpp with
// HandOver::Message. First come, first served. For fabrics that have messages.
//
// One-sided operations: 1 at the home to acquire, 1 to release; queued 1 on the record before, and the hand-over is a
// failing compare-and-swap at the home, 1 or more on the own record, and 1 message; with the improvements, just the
// message.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/inject.hpp"
#include "locks/algorithm.hpp"

namespace mxk::locks {

enum class DashStep : std::uint8_t { Published, LooksFirst, PlainLoads, Put };

template <typename F, DashStep step> class Dash {
    struct Waiter {
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
    explicit Dash(typename F::Site const& site)
        : home_(site)
        , waiters_(site) {}

    void acquire(Node& node) {
        waiters_.own(node.own).next.store(nullptr, std::memory_order_relaxed);
        Ref const self = waiters_.ref(node.own);
        Ref const before = home_.far(&Tail::tail).swap(self, std::memory_order_acq_rel);
        node.count.acquired(!before);
        if (!before) return;
        inject::point();
        auto&& link = waiters_.far(before, &Waiter::next);
        if constexpr (step == DashStep::Put)
            link.put(self, std::memory_order_release);
        else
            link.swap(self, std::memory_order_release);
        waiters_.receive();
    }
    void release(Node& node) {
        Ref next{nullptr};
        if constexpr (step != DashStep::Published) next = look(node);
        if (!next) {
            inject::point();
            Ref const self = waiters_.ref(node.own);
            if (home_.far(&Tail::tail).cas(self, nullptr, std::memory_order_release) == self) return;
            typename F::Wait wait(waiters_);
            while (!(next = look(node))) wait.turn();
        }
        waiters_.send(next);
    }

  private:
    Ref look(Node& node) {
        if constexpr (step == DashStep::Published || step == DashStep::LooksFirst)
            return waiters_.far(waiters_.ref(node.own), &Waiter::next).read(std::memory_order_acquire);
        else
            return waiters_.own(node.own).next.load(std::memory_order_acquire);
    }

    typename F::template Home<Tail> home_;
    Waiters waiters_;
};

} // namespace mxk::locks
