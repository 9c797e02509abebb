// Whether visitors of an object have to take its lock. Enabled: all do. Disabled: its owner, one core (on Linux: one
// thread), comes without it, and nobody else may come. A change opens a window, since some visits have begun before it;
// it closes after a grace period (grace_window.hpp), when these are over.
// (V. Uhlig, Scalability of Microkernel-Based Systems, Karlsruhe 2005: dynamic locks. There a transition is completed
// by who comes first after an epoch; and that nobody else comes to a disabled lock is the application's promise. Here a
// callback completes it, and others are told to wait.)
//
//              disable()                 grace period
//     Enabled ----------> Demoting(owner) ----------> Disabled(owner)
//      ^   ^                | somebody else              | enable()
//      |   | grace period   v comes, or enable()         v
//      |   +----------- Cancelled                  Promoting(owner)
//      +------------------------------------------------+  grace period
//
//     who takes the lock     Enabled, Cancelled: all    Demoting, Promoting: the owner    Disabled: nobody
//     who comes without it   Disabled: the owner
//     others                 Demoting: cancel it, and take the lock    Promoting, Disabled: wait
//
// Why nobody is inside with the lock and another one without: those who took it before Demoting began hold up the grace
// period that ends it, and in it nobody else takes it without making an end of it; so when Disabled begins only the
// owner can be inside. When Promoting ends, the owner is inside with the lock or not at all. Cancelled is Enabled while
// the callback of a change that is not wanted any more is still to come: it is one object, so the next change begins
// after it.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/inject.hpp"
#include "base/panic.hpp"
#include "kernel/sync/adaptive/grace_window.hpp"
#include "kernel/sync/rcu/callback.hpp"

namespace mxk {

// Any core, in a visit (visit.hpp) or not; never blocks.
template <typename Window = GraceWindow> class LockState : rcu::Callback {
  public:
    // An owner: what arch::exclusive_id() gives. `everybody`: all come without this lock, because they take another one
    // (lock_cascade.hpp).
    using Owner = std::uintptr_t;
    static constexpr Owner everybody = 8;

    constexpr LockState() { function = &LockState::close; }
    LockState(LockState const&) = delete;
    LockState& operator=(LockState const&) = delete;
    // No change is under way.
    ~LockState() { expect(is_stable(), "a lock goes when no change of its state is under way"); }
    ~LockState() requires(Window::closes_at_once) = default;

    // What a visitor sees of the state when it comes.
    class Look {
      public:
        constexpr explicit Look(std::uintptr_t word)
            : word_(word) {}
        // Whether it goes on without the lock.
        [[nodiscard]] bool is_free_for(Owner visitor) const { return word_ == visitor; }
        // Else: whether all take it.
        [[nodiscard]] bool is_taken_by_all() const { return word_ < everybody; }

      private:
        std::uintptr_t word_;
    };
    // acquire: pairs with close(): it sees what others have done under the lock.
    [[nodiscard]] Look look() const { return Look(word_.load(std::memory_order_acquire)); }
    // Else, for the rest of the visit, or of a task's body: whether the visitor takes it; if not it waits, in no visit.
    [[nodiscard]] bool take(Owner visitor) {
        std::uintptr_t word = word_.load(std::memory_order_acquire);
        for (;;) {
            inject::point();
            if (word < everybody || word == (everybody | promoting)) return true;
            if (kind(word) == 0) return false;
            if ((word & ~kinds) == visitor) return true;
            if (kind(word) == promoting) return false;
            if (word_.compare_exchange_weak(word, cancelled, std::memory_order_seq_cst)) return true;
        }
    }

    // No change is under way. acquire.
    [[nodiscard]] bool is_stable() const {
        std::uintptr_t const word = word_.load(std::memory_order_acquire);
        return word == enabled || (word >= everybody && kind(word) == 0);
    }
    [[nodiscard]] bool is_enabled() const { return look().is_taken_by_all(); }
    [[nodiscard]] bool is_disabled() const {
        std::uintptr_t const word = word_.load(std::memory_order_acquire);
        return word >= everybody && kind(word) == 0;
    }

    // All take the lock as soon as that is possible. True if this call has ended the state Disabled of an owner.
    bool enable(rcu::Urgency urgency) {
        std::uintptr_t word = word_.load(std::memory_order_relaxed);
        for (;;) {
            inject::point();
            if (word > everybody && kind(word) == 0) {
                if (!word_.compare_exchange_weak(word, word | promoting, std::memory_order_seq_cst)) continue;
                Window::close_later(*this, urgency);
                return true;
            }
            if (kind(word) != demoting) return false;
            if (word_.compare_exchange_weak(word, cancelled, std::memory_order_seq_cst)) return false;
        }
    }

    // Of a visitor that is in no visit now: waits, as Visit does, until may_lock(), and enables the lock for that as
    // often as somebody has disabled it again meanwhile.
    template <typename Visit, typename MayLock> void await(MayLock may_lock) {
        Visit::wait([&] {
            if (may_lock()) return true;
            enable(rcu::Urgency::Expedited);
            return false;
        });
    }

    // From a grace period on the owner comes without the lock, until enable(). False, and nothing changes, if the state
    // is another one than Enabled. The caller owns it, or knows that nobody else does.
    bool disable(Owner owner, rcu::Urgency urgency = rcu::Urgency::Batched) {
        std::uintptr_t word = enabled;
        inject::point();
        if (!word_.compare_exchange_strong(word, owner | demoting, std::memory_order_seq_cst)) return false;
        Window::close_later(*this, urgency);
        return true;
    }

    // Of a cascade, which waits for the windows between these by itself. Enabled, no change under way: from now on
    // nobody takes this lock, and each visitor that does not has another one.
    void give_way() { move(enabled, everybody); }
    // All take it again, together with the other one; after a grace period all have it, and the other one may go.
    void take_back() { move(everybody, everybody | promoting); }
    void is_back() { move(everybody | promoting, enabled); }

  private:
    void move(std::uintptr_t from, std::uintptr_t to) {
        inject::point();
        expect(word_.compare_exchange_strong(from, to, std::memory_order_seq_cst),
               "a cascade changes its levels alone");
    }

    static constexpr std::uintptr_t enabled = 0;
    static constexpr std::uintptr_t cancelled = 4;
    // Added to the owner, which is divisible by 8; an owner alone: Disabled.
    static constexpr std::uintptr_t promoting = 1;
    static constexpr std::uintptr_t demoting = 2;
    static constexpr std::uintptr_t kinds = promoting | demoting;
    static constexpr std::uintptr_t kind(std::uintptr_t word) { return word & kinds; }

    // The window's end. One compare-exchange at last, after which the next change may use the callback.
    static void close(rcu::Callback& callback) {
        auto& word_of_it = static_cast<LockState&>(callback).word_;
        std::uintptr_t word = word_of_it.load(std::memory_order_relaxed);
        std::uintptr_t next = 0;
        do {
            inject::point();
            next = kind(word) == demoting ? word & ~demoting : enabled;
            // seq_cst, and a release: pairs with those who look at the state
        } while (!word_of_it.compare_exchange_weak(word, next, std::memory_order_seq_cst));
    }

    std::atomic<std::uintptr_t> word_{enabled};
};

} // namespace mxk
