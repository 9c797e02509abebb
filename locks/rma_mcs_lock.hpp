// Two levels of MCS, of which the workers of a node reach their node's records by one-sided operations, too: the best
// published lock for several machines before cohorts came there. A lock is passed on within a node up to max_passes
// times. (P. Schmid, M. Besta and T. Hoefler, High-Performance Distributed RMA Locks, HPDC 2016; A. Uffmann, RMA locks,
// LMU 2022.) Up to max_passes others of a node overtake.
//
// One-sided operations: 3 within the node and 1 at the home to acquire, 2 within the node and 1 at the home to release;
// queued 1 more within the node, or on another node's record.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/inject.hpp"
#include "locks/algorithm.hpp"

namespace mxk::locks {

template <typename F> class RmaMcs {
    // What a record says to its worker, or its node; below: how often the lock was passed on within the node.
    static constexpr std::uint64_t waits = ~std::uint64_t{0};
    static constexpr std::uint64_t must_acquire_upper = waits - 1;
    struct Waiter {
        typename F::template Word<std::uint64_t> status{0};
        typename F::template Word<typename F::template Ref<Waiter>> next{nullptr};
    };
    using Ref = typename F::template Ref<Waiter>;
    // As in a queue of groups: by number, 0 for none.
    struct OfNode {
        typename F::template Word<Ref> tail{nullptr}; // of the node's workers
        typename F::template Word<std::uint64_t> status{0};
        typename F::template Word<std::uint32_t> next{0}; // node, plus 1
    };
    struct Tail {
        typename F::template Word<std::uint32_t> tail{0}; // node, plus 1
    };
    using Waiters = typename F::template Records<Waiter>;

  public:
    struct Node {
        typename Waiters::Own own;
        [[no_unique_address]] typename F::Count count;
    };
    explicit RmaMcs(typename F::Site const& site)
        : max_passes_(site.max_passes())
        , home_(site)
        , nodes_(site, Level::Node)
        , waiters_(site) {}

    void acquire(Node& node) {
        Waiter& own = waiters_.own(node.own);
        Ref const self = waiters_.ref(node.own);
        own.status.store(waits, std::memory_order_relaxed);
        own.next.store(nullptr, std::memory_order_relaxed);
        std::uint32_t const group = nodes_.own_group();
        Ref const before = nodes_.far(group, &OfNode::tail).swap(self, std::memory_order_acq_rel);
        bool at_once = !before;
        if (before) {
            inject::point();
            waiters_.far(before, &Waiter::next).acc(self, std::memory_order_release);
            typename F::Wait wait(waiters_);
            std::uint64_t status = waits;
            while ((status = own.status.load(std::memory_order_acquire)) == waits) wait.turn();
            if (status != must_acquire_upper) return node.count.acquired(false);
        }
        at_once = acquire_upper_lock(group) && at_once;
        own.status.store(0, std::memory_order_relaxed);
        node.count.acquired(at_once);
    }
    // The holder's: how often the upper lock was passed on within the node up to it.
    [[nodiscard]] Handed passes(Node& node) {
        return static_cast<Handed>(waiters_.own(node.own).status.load(std::memory_order_relaxed));
    }
    void release(Node& node) {
        Waiter& own = waiters_.own(node.own);
        Ref next = own.next.load(std::memory_order_acquire);
        std::uint64_t const passes = own.status.load(std::memory_order_relaxed);
        bool const stays = next && passes < max_passes_;
        node.count.released(stays);
        if (stays) return waiters_.far(next, &Waiter::status).acc(passes + 1, std::memory_order_release);
        std::uint32_t const group = nodes_.own_group();
        release_upper_lock(group);
        if (!next) {
            inject::point();
            Ref const self = waiters_.ref(node.own);
            if (nodes_.far(group, &OfNode::tail).cas(self, nullptr, std::memory_order_release) == self) return;
            typename F::Wait wait(waiters_);
            while (!(next = own.next.load(std::memory_order_acquire))) wait.turn();
        }
        waiters_.far(next, &Waiter::status).acc(must_acquire_upper, std::memory_order_release);
    }

  private:
    // Whether it was free.
    bool acquire_upper_lock(std::uint32_t group) {
        auto&& status = nodes_.far(group, &OfNode::status);
        status.acc(waits, std::memory_order_relaxed);
        nodes_.far(group, &OfNode::next).acc(0, std::memory_order_relaxed);
        std::uint32_t const before = home_.far(&Tail::tail).swap(group + 1, std::memory_order_acq_rel);
        if (before == 0) return true;
        inject::point();
        nodes_.far(before - 1, &OfNode::next).acc(group + 1, std::memory_order_release);
        typename F::Wait wait(waiters_);
        while (status.read(std::memory_order_acquire) == waits) wait.turn();
        return false;
    }
    void release_upper_lock(std::uint32_t group) {
        auto&& link = nodes_.far(group, &OfNode::next);
        std::uint32_t next = link.read(std::memory_order_acquire);
        if (next == 0) {
            inject::point();
            if (home_.far(&Tail::tail).cas(group + 1, 0, std::memory_order_release) == group + 1) return;
            typename F::Wait wait(waiters_);
            while ((next = link.read(std::memory_order_acquire)) == 0) wait.turn();
        }
        nodes_.far(next - 1, &OfNode::status).acc(0, std::memory_order_release);
    }

    std::uint64_t max_passes_;
    typename F::template Home<Tail> home_;
    typename F::template Groups<OfNode> nodes_;
    Waiters waiters_;
};

} // namespace mxk::locks
