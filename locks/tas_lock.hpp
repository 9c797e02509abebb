// Test-and-set: the first that finds the flag down has the lock. Each attempt writes, and so takes the flag's line from
// all others: for few workers, or with a back-off. Unfair without bound: any waiter may win, again and again.
// (A. Uffmann, RMA locks, LMU 2022; T. Anderson, The Performance of Spin Lock Alternatives, 1990.)
//
// One-sided operations: 1 at the home to acquire, 1 for each further attempt, 1 to release.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/inject.hpp"
#include "locks/algorithm.hpp"
#include "locks/backoff.hpp"

namespace mxk::locks {

template <typename F, typename BackoffPolicy = NoBackoff> class Tas {
    struct Flag {
        typename F::template Word<std::uint32_t> is_up{0}; // 32 bits: exchanges of fewer are slower on some processors
    };
    using Home = typename F::template Home<Flag>;

  public:
    struct Node {
        [[no_unique_address]] typename F::Count count;
    };
    constexpr explicit Tas(typename F::Site const& site)
        : home_(site) {}

    void acquire(Node& node) {
        bool at_once = true;
        // acquire, twice: pairs with release(). No release: to find the flag up says nothing
        if (home_.far(&Flag::is_up).swap(1, std::memory_order_acquire) != 0) [[unlikely]] {
            at_once = false;
            typename BackoffPolicy::template Delay<F, Home> delay(home_);
            do {
                inject::point();
                delay.pass();
            } while (home_.far(&Flag::is_up).swap(1, std::memory_order_acquire) != 0);
        }
        node.count.acquired(at_once);
    }
    // Whether the caller has it now.
    bool try_acquire(Node& node) {
        // relaxed: the swap acquires
        if (home_.far(&Flag::is_up).read(std::memory_order_relaxed) != 0 ||
            home_.far(&Flag::is_up).swap(1, std::memory_order_acquire) != 0)
            return false;
        node.count.acquired(true);
        return true;
    }
    // release: publishes the section.
    void release(Node& /*node*/) { home_.far(&Flag::is_up).acc(0, std::memory_order_release); }

  private:
    Home home_;
};

} // namespace mxk::locks
