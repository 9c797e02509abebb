// Hemlock: a queue without records. A lock is one word; each user has one word for all locks, by which it grants a lock
// that it names to the next one, which answers by clearing it. First come, first served. A waiter polls the word of the
// one before: for memory that all of a node share. (D. Dice and A. Kogan, Hemlock: Compact and Scalable Mutual
// Exclusion, SPAA 2021; A. Uffmann, RMA locks, LMU 2022, for variants and for the count in the word.)
//
// `writes_to_look`: waiters and granters look by an atomic addition of 0, so that the line comes once, to be written
// (the paper's CTR). `overlaps`: the answer to a grant is waited for before the next grant, not after this one.
// `ahead`: the lock is granted before it is known whether anybody waits (AH): the next one may be through, and the
// lock's memory be used for something else, before release() has looked at the lock's word a last time, so that memory
// must stay a lock's.
//
// One swap to acquire, one compare-and-swap to release; handed on by one store and an answer.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/inject.hpp"
#include "locks/algorithm.hpp"

namespace mxk::locks {

struct HemlockVariant {
    bool writes_to_look = false;
    bool overlaps = false;
    bool ahead = false;
    bool counts_in_word = false; // what is handed on stands in the granted word, not beside
};

template <typename F, HemlockVariant variant = HemlockVariant{}> class alignas(64) Hemlock {
    using Grants = typename F::Grants;
    using Ref = typename Grants::Ref;
    struct State {
        typename F::template Word<Ref> tail{nullptr};
        typename F::template Plain<Handed> handed{acquire_upper}; // beside the word: the holder's
    };

  public:
    struct Node {
        [[no_unique_address]] typename Grants::Own own;
        [[no_unique_address]] typename F::Count count;
    };
    explicit Hemlock(typename F::Site const& site)
        : home_(site)
        , grants_(site) {}

    Handed acquire(Node& node) {
        std::uint64_t const lock = identity();
        if constexpr (variant.overlaps) {
            auto& own = grants_.own(node.own);
            typename F::Wait wait(grants_);
            // The one that this lock was granted to has not answered. relaxed: a user that finds this one in the tail
            // then sees nothing older in its word; the next grant, or the user's end, waits for the answer
            while (is_of(own.load(std::memory_order_relaxed), lock)) wait.turn();
        }
        // acq_rel: release lets the next one see nothing in the own word that is older than what this user has seen,
        // which could be an earlier grant; acquire pairs with a release() that left nobody
        Ref const before = home_.far(&State::tail).swap(grants_.ref(node.own), std::memory_order_acq_rel);
        node.count.acquired(!before);
        if (!before) return acquire_upper;
        inject::point();
        auto&& word = grants_.far(before);
        typename F::Wait wait(grants_);
        std::uint64_t granted = 0;
        // acquire: pairs with the grant, which publishes the section before
        while (!is_of(granted = look(word, std::memory_order_acquire), lock)) wait.turn();
        // The answer, and the last use of the word. release: pairs with await_answer(), or with the user's end
        word.acc(0, std::memory_order_release);
        if constexpr (variant.counts_in_word)
            return static_cast<Handed>(granted & count_mask);
        else
            return beside();
    }
    void release(Node& node, Handed handed = acquire_upper) {
        auto& own = grants_.own(node.own);
        Ref const self = grants_.ref(node.own);
        if constexpr (variant.ahead) {
            grant(own, handed);
            inject::point();
            // release: publishes the section to one that comes when there is no queue
            if (home_.far(&State::tail).cas(self, nullptr, std::memory_order_release) == self)
                own.store(0, std::memory_order_relaxed); // the swap of the next acquire() publishes it
            else
                await_answer(own);
        } else {
            // release: publishes the section; pairs with the swap in acquire()
            if (home_.far(&State::tail).cas(self, nullptr, std::memory_order_release) == self) return;
            inject::point();
            if constexpr (variant.overlaps) {
                grants_.keep_user(); // the answer may come after its last use of a lock
                await_answer(own);
            }
            grant(own, handed);
            if constexpr (!variant.overlaps) await_answer(own);
        }
    }
    // relaxed: a hint.
    [[nodiscard]] bool alone(Node& node) const {
        return home_.far(&State::tail).read(std::memory_order_relaxed) == grants_.ref(node.own);
    }

  private:
    // Of a granted word: what is handed on. In front of it the lock's identity, whose first bits say nothing: an
    // address's are all equal.
    static constexpr std::uint64_t count_mask = 255;
    static_assert(max_passes <= count_mask);

    [[nodiscard]] std::uint64_t identity() const {
        if constexpr (F::is_one_memory)
            return reinterpret_cast<std::uint64_t>(this) * (count_mask + 1);
        else
            return grants_.lock_identity() * (count_mask + 1);
    }
    static bool is_of(std::uint64_t granted, std::uint64_t lock) { return (granted & ~count_mask) == lock; }
    template <typename Word> static std::uint64_t look(Word&& word, std::memory_order order) {
        if constexpr (variant.writes_to_look)
            return word.add(0, order);
        else
            return word.read(order);
    }
    Handed beside() {
        if constexpr (F::is_near) return home_.direct().handed;
        return acquire_upper;
    }
    template <typename Word> void grant(Word& own, [[maybe_unused]] Handed handed) {
        std::uint64_t granted = identity();
        if constexpr (variant.counts_in_word)
            granted |= handed;
        else if constexpr (F::is_near)
            home_.direct().handed = handed;
        own.store(granted, std::memory_order_release); // publishes the section; pairs with the look in acquire()
    }
    // acquire: the one that answers has used the word for the last time, which must be before its memory becomes
    // something else at the user's end.
    template <typename Word> void await_answer(Word& own) {
        typename F::Wait wait(grants_);
        if constexpr (variant.writes_to_look && F::is_one_memory) {
            while (own.add(0, std::memory_order_acquire) != 0) wait.turn();
        } else {
            while (own.load(std::memory_order_acquire) != 0) wait.turn();
        }
    }

    typename F::template Home<State> home_;
    [[no_unique_address]] Grants grants_;
};

// The same with a word of each user for this lock alone, which holds nothing but what is handed on: what is polled
// needs no name of the lock, and the count no place of its own. Grants ahead; looks and answers are one swap. (A.
// Uffmann, RMA locks, LMU 2022, the inline variant: the author's fastest.)
template <typename F> class InlineHemlock {
    struct Waiter {
        typename F::template Word<Handed> granted{still_waits}; // to the one behind
    };
    using Waiters = typename F::template Records<Waiter>;
    using Ref = typename F::template Ref<Waiter>;
    struct Tail {
        typename F::template Word<Ref> tail{nullptr};
    };

  public:
    struct Node {
        typename Waiters::Own own;
        [[no_unique_address]] typename F::Count count;
    };
    constexpr explicit InlineHemlock(typename F::Site const& site)
        : home_(site)
        , waiters_(site) {}

    Handed acquire(Node& node) {
        // acq_rel: release publishes the record; acquire pairs with a release() that left nobody
        Ref const before = home_.far(&Tail::tail).swap(waiters_.ref(node.own), std::memory_order_acq_rel);
        node.count.acquired(!before);
        if (!before) return acquire_upper;
        inject::point();
        auto&& word = waiters_.far(before, &Waiter::granted);
        typename F::Wait wait(waiters_);
        Handed granted = still_waits;
        // acq_rel: acquire the section before; release is the answer, the last use of the record
        while ((granted = word.swap(still_waits, std::memory_order_acq_rel)) == still_waits) wait.turn();
        return granted;
    }
    void release(Node& node, Handed handed = acquire_upper) {
        auto& granted = waiters_.own(node.own).granted;
        Ref const self = waiters_.ref(node.own);
        granted.store(handed, std::memory_order_release); // publishes the section; pairs with the swap in acquire()
        inject::point();
        // release: publishes the section to one that comes when there is no queue
        if (home_.far(&Tail::tail).cas(self, nullptr, std::memory_order_release) == self) {
            granted.store(still_waits, std::memory_order_relaxed); // the swap of the next acquire() publishes it
        } else {
            typename F::Wait wait(waiters_);
            while (granted.load(std::memory_order_acquire) != still_waits) wait.turn(); // pairs with the answer
        }
    }
    // relaxed: a hint.
    [[nodiscard]] bool alone(Node& node) const {
        return home_.far(&Tail::tail).read(std::memory_order_relaxed) == waiters_.ref(node.own);
    }

  private:
    typename F::template Home<Tail> home_;
    [[no_unique_address]] Waiters waiters_;
};

} // namespace mxk::locks
