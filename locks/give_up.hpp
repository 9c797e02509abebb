// Waiters that give up: because their time is over, or because somebody has told them to.
#pragma once

#include <concepts>

#include "locks/fabric/handed.hpp"

namespace mxk::locks {

// What asks whether to.
struct NeverGivesUp {
    bool operator()() const { return false; }
};

// Whose waiters have a place that they can leave.
template <typename L>
concept Abortable = requires(L& lock, typename L::Node& node) {
    { lock.acquire_unless(node, NeverGivesUp{}) } -> std::same_as<Handed>;
};
template <typename L>
concept CanTry = requires(L& lock, typename L::Node& node) {
    { lock.try_acquire(node) } -> std::same_as<bool>;
};
template <typename L>
concept CanGiveUp = Abortable<L> || CanTry<L>;

// acquire(), until give_up(), which is asked at each turn of the wait, says yes: still_waits then. A lock without
// places to leave is tried until it is free: a thread that waits so has no place in its queue.
template <typename F, CanGiveUp L, typename GiveUp>
Handed acquire_unless(L& lock, typename L::Node& node, GiveUp&& give_up) {
    if constexpr (Abortable<L>) {
        return lock.acquire_unless(node, give_up);
    } else {
        for (typename F::Wait wait(lock); !lock.try_acquire(node); wait.turn())
            if (give_up()) return still_waits;
        return acquire_upper;
    }
}

} // namespace mxk::locks
