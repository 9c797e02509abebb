// Test and test-and-set: waiters look before they try, so that they share the flag's line while the lock is held.
// Unfair without bound. As the lock of a node it knows of others that wait if one of them has said so since the last
// acquisition; with short sections they have no time to. (A. Uffmann, RMA locks, LMU 2022; L. Rudolph and Z. Segall,
// 1984.)
//
// One-sided operations: 1 at the home to acquire, 1 for each look and 1 for each further attempt, 1 to release.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/inject.hpp"
#include "locks/algorithm.hpp"
#include "locks/backoff.hpp"

namespace mxk::locks {

template <typename F, typename BackoffPolicy = NoBackoff> class Tts {
    struct State {
        typename F::template Word<Handed> handed{acquire_upper}; // still_waits: the lock is held
        typename F::template Word<std::uint32_t> others_wait{0}; // of a node's lock: said by them
    };
    using Home = typename F::template Home<State>;

  public:
    struct Node {
        [[no_unique_address]] typename F::Count count;
    };
    constexpr explicit Tts(typename F::Site const& site)
        : home_(site) {}

    Handed acquire(Node& node) {
        Handed handed = try_once();
        node.count.acquired(handed != still_waits);
        if (handed == still_waits) [[unlikely]] {
            typename BackoffPolicy::template Delay<F, Home> delay(home_);
            do {
                do {
                    say_that_others_wait();
                    inject::point();
                    delay.pass();
                    // relaxed: try_once() acquires
                } while (home_.far(&State::handed).read(std::memory_order_relaxed) == still_waits);
                handed = try_once();
            } while (handed == still_waits);
        }
        if constexpr (F::is_near) home_.far(&State::others_wait).acc(0, std::memory_order_relaxed);
        return handed;
    }
    // Whether the caller has it now. Not of a node's lock, with which the upper one may come.
    bool try_acquire(Node& node) requires(!F::is_near) {
        // relaxed: try_once() acquires
        if (home_.far(&State::handed).read(std::memory_order_relaxed) == still_waits) return false;
        bool const has_it = try_once() != still_waits;
        if (has_it) node.count.acquired(true);
        return has_it;
    }
    // release: publishes the section.
    void release(Node& /*node*/, Handed handed = acquire_upper) {
        home_.far(&State::handed).acc(handed, std::memory_order_release);
    }
    // relaxed, as all of `others_wait`: a hint.
    [[nodiscard]] bool alone(Node& /*node*/) const {
        return home_.far(&State::others_wait).read(std::memory_order_relaxed) == 0;
    }

  private:
    // acquire: pairs with release()
    Handed try_once() { return home_.far(&State::handed).swap(still_waits, std::memory_order_acquire); }
    void say_that_others_wait() {
        if constexpr (F::is_near) {
            auto&& others_wait = home_.far(&State::others_wait);
            if (others_wait.read(std::memory_order_relaxed) == 0) others_wait.acc(1, std::memory_order_relaxed);
        }
    }
    Home home_;
};

} // namespace mxk::locks
