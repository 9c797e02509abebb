// The state of a counting semaphore and its rules, without the threads: a caller that must wait leaves a Waiter here;
// how it waits and is woken is the caller's.
//
//     word: | units | has waiters |      units > 0 and waiters: impossible
//
// Free units are taken and given by one compare-exchange. Where there are waiters, every operation goes by their list,
// under a lock, and a unit is handed over to the first waiter without ever being free. So nobody overtakes, and every
// waiter that is woken has its unit. Any core; the holder of the lock is not preempted.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/inject.hpp"
#include "base/panic.hpp"
#include "base/spin_lock.hpp"
#include "tasks/threads/semaphore_kind.hpp"

namespace mxk {

// 16 bytes.
class SemaphoreCore {
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
            inject::point();
            // acquire: what was done before the unit was given
            if (word_.compare_exchange_weak(word, word - one_unit, std::memory_order_acquire,
                                            std::memory_order_relaxed))
                return true;
        }
        return false;
    }

    // Like try_take(); false: the waiter waits now, and may have been given a unit before this returns.
    [[nodiscard]] bool take_or_wait(Waiter& waiter);

    // One unit more, if nobody waits. The last that the caller does with the semaphore then.
    [[nodiscard]] bool give_unless_awaited() {
        std::uint32_t word = word_.load(std::memory_order_relaxed);
        while ((word & has_waiters) == 0) {
            expect(word < max_semaphore_units << 1, "a semaphore has up to 2^30 - 1 units");
            inject::point();
            // release: pairs with the acquire that takes the unit
            if (word_.compare_exchange_weak(word, word + one_unit, std::memory_order_release,
                                            std::memory_order_relaxed)) {
                inject::point(); // the taker may destroy it here
                return true;
            }
        }
        return false;
    }

    // One unit more: to the waiter that is returned, which the caller must wake, or free (null). In either case the
    // last that the caller does with the semaphore: a free unit is given without the lock, since its taker may destroy
    // the semaphore, lock and all, at once. A unit that is handed over is its taker's only when that is woken.
    [[nodiscard]] Waiter* give() {
        while (!give_unless_awaited())
            if (Waiter* const waiter = hand_over()) return waiter;
        return nullptr;
    }

    // The waiter does not want to wait any more. False: it has been given a unit, and is being woken.
    [[nodiscard]] bool withdraw(Waiter& waiter);

  private:
    static constexpr std::uint32_t has_waiters = 1;
    static constexpr std::uint32_t one_unit = 2;

    Waiter* hand_over();
    bool note_waiters();
    void append(Waiter& waiter);
    void remove(Waiter& waiter);

    std::atomic<std::uint32_t> word_;
    SmallSpinLock lock_{lock_bands::waking.rank(0)}; // the list
    Waiter* last_ = nullptr;
};

} // namespace mxk
