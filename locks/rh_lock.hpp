// A word for each node. At one node it says that the lock is here, free or held; at all others it names the node where
// the lock was last. A node keeps the lock until another one fetches it, and until then its workers need no other node.
// (Z. Radovic and E. Hagersten, Efficient Synchronization for Nonuniform Communication Architectures, SC 2002, for two
// nodes; A. Uffmann, RMA locks, LMU 2022, for more: a node that has passed the lock on says where to.) Unfair
// without bound: a waiter on the same node is preferred, by all releases but one of `fairness`.
//
// One-sided operations: 1 on the node's word to acquire, and up to nodes - 1 on other nodes' words if the lock is not
// there; 1 on the node's word to release, 2 if somebody of the node waits and is preferred. Waiters of the node poll
// it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>

#include "base/inject.hpp"
#include "base/splitmix.hpp"
#include "locks/algorithm.hpp"

namespace mxk::locks {

template <typename F, std::uint32_t fairness = 1, std::uint32_t max_turns = 32> class Rh {
    // A worker's number: it has the lock, or is the first that waits for it on this node. -1 - n: the lock is at node
    // n.
    using Value = std::int64_t;
    static constexpr Value is_free = std::numeric_limits<Value>::min();
    static constexpr Value is_free_for_node = is_free + 1;
    static constexpr Value at_node(std::uint32_t node) { return -1 - static_cast<Value>(node); }
    static constexpr std::uint32_t node_in(Value value) { return static_cast<std::uint32_t>(-1 - value); }
    struct State {
        typename F::template Word<Value> value{at_node(0)};
    };

  public:
    struct Node {
        bool is_fair = true;
        std::uint64_t random = 0;
        [[no_unique_address]] typename F::Count count;
    };
    explicit Rh(typename F::Site const& site)
        : states_(site, Level::Node) {
        if (states_.size() != 0) states_.far(0, &State::value).acc(is_free);
    }

    void acquire(Node& node) {
        Value const seen = try_here();
        if (seen == is_free || seen == is_free_for_node) return node.count.acquired(true);
        if (seen < 0) return node.count.acquired(fetch_from(node_in(seen)));
        node.count.acquired(false);
        wait_here(node);
    }
    void release(Node& node) {
        auto&& own = states_.far(states_.own_group(), &State::value);
        Value const self = static_cast<Value>(F::self());
        if (node.is_fair) return own.acc(is_free, std::memory_order_release);
        // release: publishes the section. A worker of this node has swapped its number in: it waits.
        if (own.cas(self, is_free, std::memory_order_release) != self)
            own.acc(is_free_for_node, std::memory_order_release);
    }

  private:
    // acq_rel: acquire pairs with release(); release: what this worker did before, to a worker that takes the lock
    // elsewhere
    Value try_here() {
        return states_.far(states_.own_group(), &State::value)
            .swap(static_cast<Value>(F::self()), std::memory_order_acq_rel);
    }
    void wait_here(Node& node) {
        node.random = splitmix(node.random + F::self() + 1);
        node.is_fair = node.random % fairness == 0;
        for (std::uint32_t turns = 1;; turns = std::min(2 * turns, max_turns)) {
            typename F::Wait wait(states_);
            for (std::uint32_t i = 0; i < turns; ++i) wait.turn();
            if (states_.own().value.load(std::memory_order_relaxed) >= 0) continue;
            Value const seen = try_here();
            if (seen == is_free || seen == is_free_for_node) return;
            if (seen < 0) {
                fetch_from(node_in(seen));
                return;
            }
        }
    }
    // The first of its node waits for the lock that is at another one. Whether it was free at once.
    bool fetch_from(std::uint32_t node) {
        bool at_once = true;
        typename F::Wait wait(states_);
        for (;;) {
            inject::point();
            Value const seen =
                states_.far(node, &State::value).cas(is_free, at_node(states_.own_group()), std::memory_order_acq_rel);
            if (seen == is_free) return at_once;
            if (seen < 0 && seen != is_free_for_node)
                node = node_in(seen);
            else
                at_once = false;
            wait.turn();
        }
    }

    typename F::template Groups<State> states_;
};

} // namespace mxk::locks
