// The state of a counting semaphore and its rules, without the threads: who waits is a Waiter, and how it waits and is
// woken is the caller's.
//
//     word: | units | has waiters |      units > 0 and waiters: impossible
//
// Free units are taken and given by one compare-exchange. Where somebody waits, all goes by the list, under a lock, and
// a unit is handed over to who waits longest without ever being free: so nobody overtakes, and nobody that was woken
// finds nothing. Any core; who holds the lock is not preempted.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/panic.hpp"
#include "base/spin_lock.hpp"
#include "tasks/delay.hpp"
#include "tasks/threads/semaphore_kind.hpp"

namespace mxk {

// 16 bytes.
template <typename Delay = NoDelay> class SemaphoreCore {
  public:
    // In up to one semaphore at a time.
    class Waiter {
        friend SemaphoreCore;
        Waiter* next = nullptr; // the first one follows the last
        Waiter* previous = nullptr;
        bool waits = false;
    };

    explicit SemaphoreCore(std::uint32_t units)
        : word_(units << 1) {}
    // Nobody uses it, so that its units are all there is.
    SemaphoreCore(SemaphoreCore&& other) noexcept
        : word_(other.word_.load(std::memory_order_relaxed)) {}
    SemaphoreCore& operator=(SemaphoreCore&&) = delete;

    // Whether there was a unit, which is the caller's then.
    [[nodiscard]] bool try_take() {
        std::uint32_t word = word_.load(std::memory_order_relaxed);
        while (word > has_waiters) { // units, hence no waiters
            Delay::point();
            // acquire: what was done before the unit was given
            if (word_.compare_exchange_weak(word, word - one_unit, std::memory_order_acquire,
                                            std::memory_order_relaxed))
                return true;
        }
        return false;
    }

    // Like try_take(); false: the waiter waits now, and may have been given a unit before this returns.
    [[nodiscard]] bool take_or_wait(Waiter& waiter) {
        LockGuard const guard(lock_);
        do {
            if (try_take()) return true;
            Delay::point();
        } while (!note_waiters());
        append(waiter);
        return false;
    }

    // One unit more, if nobody waits. The last that the caller does with the semaphore then.
    [[nodiscard]] bool give_unless_awaited() {
        std::uint32_t word = word_.load(std::memory_order_relaxed);
        while ((word & has_waiters) == 0) {
            expect(word < most_semaphore_units << 1, "a semaphore has up to 2^30 - 1 units");
            Delay::point();
            // release: pairs with who takes the unit
            if (word_.compare_exchange_weak(word, word + one_unit, std::memory_order_release,
                                            std::memory_order_relaxed))
                return true;
        }
        return false;
    }

    // One unit more: to the waiter that is returned, which the caller must wake, or free (null).
    [[nodiscard]] Waiter* give() {
        LockGuard const guard(lock_);
        if (give_unless_awaited()) return nullptr;
        Delay::point();
        Waiter& first = *last_->next;
        remove(first);
        return &first;
    }

    // The waiter does not want to wait any more. False: it has been given a unit, and is being woken.
    [[nodiscard]] bool withdraw(Waiter& waiter) {
        LockGuard const guard(lock_);
        if (!waiter.waits) return false;
        Delay::point();
        remove(waiter);
        return true;
    }

  private:
    static constexpr std::uint32_t has_waiters = 1;
    static constexpr std::uint32_t one_unit = 2;

    // Under the lock. False: there is a unit by now.
    bool note_waiters() {
        std::uint32_t word = 0;
        // relaxed: the lock orders all who look at the list
        return word_.compare_exchange_strong(word, has_waiters, std::memory_order_relaxed) || word == has_waiters;
    }

    void append(Waiter& waiter) {
        if (last_ == nullptr) last_ = &waiter;
        waiter.next = last_ == &waiter ? &waiter : last_->next;
        waiter.previous = last_;
        waiter.next->previous = &waiter;
        last_->next = &waiter;
        last_ = &waiter;
        waiter.waits = true;
    }
    // While somebody waits, only who has the lock changes the word.
    void remove(Waiter& waiter) {
        waiter.waits = false;
        if (waiter.next == &waiter) {
            last_ = nullptr;
            word_.store(0, std::memory_order_relaxed);
            return;
        }
        waiter.previous->next = waiter.next;
        waiter.next->previous = waiter.previous;
        if (last_ == &waiter) last_ = waiter.previous;
    }

    std::atomic<std::uint32_t> word_;
    SpinLock lock_{LockRank::Semaphore}; // the list
    Waiter* last_ = nullptr;
};

} // namespace mxk
