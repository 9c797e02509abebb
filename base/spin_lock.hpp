// A spin lock for short sections off the fast path (the allocator, the log), in tasks and in threads, which are not
// preempted while they hold one. Where every core has a processor to itself it is a ticket lock: FIFO, so no core
// starves. Elsewhere the first that finds it free has it: a queue of cores of which some are not running would advance
// by one time slice of the host per step. It does not mask interrupts: code that runs in interrupt handlers must not
// take one. 8 bytes, of tickets of 32 bits: exchanges of fewer bits are slower on some processors.
#pragma once

#include <atomic>
#include <cstdint>
#include <source_location>
#include <type_traits>

#include "base/inject.hpp"
#include "base/lock.hpp"
#include "base/lock_rank.hpp"
#include "base/preemption.hpp"
#include "base/spin_wait.hpp"

namespace mxk {

template <typename Ticket> class BasicSpinLock {
  public:
    using Node = NoLockNode;

    constexpr explicit BasicSpinLock([[maybe_unused]] LockRank rank)
        : rank_(rank) {}

    void lock(Node& /*node*/ = no_lock_node, std::source_location where = std::source_location::current()) {
        hold_preemption();
        if constexpr (check_locks) held_locks().taking(this, rank_.value(), where);
        Ticket const ticket = take_ticket();
        inject::point();
        // acquire: pairs with the release in unlock() of the holder before.
        for (SpinWait wait; serving_.load(std::memory_order_acquire) != ticket;) wait.turn();
        if constexpr (check_locks) held_locks().taken(this, rank_.value(), where);
    }
    void unlock(Node& /*node*/ = no_lock_node, std::source_location where = std::source_location::current()) {
        if constexpr (check_locks) held_locks().given_back(this, where);
        // Only the holder writes serving_, so a plain increment is enough; release: publishes its section.
        serving_.store(static_cast<Ticket>(serving_.load(std::memory_order_relaxed) + 1), std::memory_order_release);
        release_preemption();
    }

  private:
    Ticket take_ticket() {
        if (!processors_may_be_taken) return next_.fetch_add(1, std::memory_order_relaxed);
        for (SpinWait wait;; wait.turn()) { // until there is one that is served at once
            Ticket served = serving_.load(std::memory_order_relaxed);
            inject::point();
            if (next_.load(std::memory_order_relaxed) == served &&
                next_.compare_exchange_weak(served, static_cast<Ticket>(served + 1), std::memory_order_relaxed))
                return served;
        }
    }

    // Left out where nothing checks it: semaphores are many, and small.
    struct NoRank {
        constexpr explicit NoRank(LockRank) {}
        static LockRank value() { return {}; }
    };
    struct Rank {
        constexpr explicit Rank(LockRank its_value)
            : value_(its_value) {}
        [[nodiscard]] LockRank value() const { return value_; }
        LockRank value_;
    };

    std::atomic<Ticket> next_{0};
    std::atomic<Ticket> serving_{0};
    [[no_unique_address]] std::conditional_t<check_locks, Rank, NoRank> rank_;
};
using SpinLock = BasicSpinLock<std::uint32_t>;
static_assert(Lock<SpinLock>);
// 4 bytes: of what there are many. Up to 65535 waiters.
using SmallSpinLock = BasicSpinLock<std::uint16_t>;

} // namespace mxk
