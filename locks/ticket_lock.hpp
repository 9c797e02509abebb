// Tickets: first come, first served. All waiters poll one word, which each release changes. As the lock of a node what
// it hands on stands beside, guarded by the lock itself. (A. Uffmann, RMA locks, LMU 2022; D. Reed and R. Kanodia,
// 1979.)
//
// One-sided operations: 2 at the home to acquire, 1 for each further look, 1 to release.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/inject.hpp"
#include "locks/algorithm.hpp"

namespace mxk::locks {

template <typename F> class Ticket {
    struct State {
        typename F::template Word<std::uint32_t> next{0};
        typename F::template Word<std::uint32_t> serving{0};
        typename F::template Plain<Handed> handed{acquire_upper}; // the holder's
    };
    using Home = typename F::template Home<State>;

  public:
    struct Node {
        typename F::template Plain<std::uint32_t> ticket{0};
        [[no_unique_address]] typename F::Count count;
    };
    constexpr explicit Ticket(typename F::Site const& site)
        : home_(site) {}

    Handed acquire(Node& node) {
        // relaxed: only who has which place; what sections did comes with `serving`
        node.ticket = home_.far(&State::next).add(1, std::memory_order_relaxed);
        inject::point();
        // acquire, twice: pairs with release()
        bool const at_once = home_.far(&State::serving).read(std::memory_order_acquire) == node.ticket;
        node.count.acquired(at_once);
        if (!at_once) [[unlikely]] {
            typename F::Wait wait(home_);
            do wait.turn();
            while (home_.far(&State::serving).read(std::memory_order_acquire) != node.ticket);
        }
        if constexpr (F::is_near) return home_.direct().handed;
        return acquire_upper;
    }
    // Whether the caller has it now; with a node's lock nothing is handed on then.
    bool try_acquire(Node& node) {
        // acquire: pairs with release()
        std::uint32_t const turn = home_.far(&State::serving).read(std::memory_order_acquire);
        // relaxed: as in acquire()
        if (home_.far(&State::next).cas(turn, turn + 1, std::memory_order_relaxed) != turn) return false;
        node.ticket = turn;
        node.count.acquired(true);
        return true;
    }
    void release(Node& node, [[maybe_unused]] Handed handed = acquire_upper) {
        if constexpr (F::is_near) home_.direct().handed = handed;
        // Only the holder writes it; release: publishes the section.
        home_.far(&State::serving).acc(node.ticket + 1, std::memory_order_release);
    }
    // relaxed: a hint.
    [[nodiscard]] bool alone(Node& node) const {
        return home_.far(&State::next).read(std::memory_order_relaxed) == node.ticket + 1;
    }

  private:
    Home home_;
};

} // namespace mxk::locks
