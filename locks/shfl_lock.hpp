// A flag that protects the section, and an MCS queue in front of it that only orders waiters: the first in the queue
// polls the flag, leaves the queue when it has it, and releases the flag only. While they wait, one of the waiters at a
// time, the shuffler, moves those of its own node forward. Without a queue the flag may be taken at once (stealing).
// (S. Kashyap et al., Scalable and Practical Locking with Shuffling, SOSP 2019; A. Uffmann, RMA locks, LMU 2022, for
// test-and-set in place of test and test-and-set.) A shuffler and those that take its place move up to
// max_batch others in front of a waiter.
//
// One-sided operations: 2 at the home to acquire (1 with `looks_first` off), 1 to release; queued 2 more and 2 on
// records, 1 more to find the queue empty and 2 to leave it so, and about 4 for each waiter that is shuffled.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/inject.hpp"
#include "locks/algorithm.hpp"

namespace mxk::locks {

struct ShflVariant {
    bool shuffles = true;
    bool steals = true;
    bool looks_first = true; // test and test-and-set; else test-and-set
};

template <typename F, ShflVariant variant = ShflVariant{}> class Shfl {
    template <typename V> using Word = typename F::template Word<V>;
    struct Waiter {
        Word<std::uint32_t> waits{0};
        Word<std::uint32_t> is_shuffler{0};
        Word<std::uint32_t> batch{0};
        Word<std::uint32_t> numa_node{0};
        Word<typename F::template Ref<Waiter>> next{nullptr};
    };
    using Ref = typename F::template Ref<Waiter>;
    // Both in one word, since a word is changed by operations of one width: whether it is held, and how many heads of
    // the queue have come and are not gone: of one that is going and one that has come, for a while. While there are
    // some, nobody steals.
    static constexpr std::uint32_t held = 1;
    static constexpr std::uint32_t queued = 2;
    struct State {
        Word<std::uint32_t> flag{0};
        Word<Ref> tail{nullptr};
    };
    using Waiters = typename F::template Records<Waiter>;
    static constexpr std::uint32_t max_batch = 1024;

  public:
    struct Node {
        typename Waiters::Own own;
        [[no_unique_address]] typename F::Count count;
    };
    explicit Shfl(typename F::Site const& site)
        : topology_(&site.topology())
        , home_(site)
        , waiters_(site) {}

    void acquire(Node& node) {
        if (variant.steals && try_to_steal()) return node.count.acquired(true);
        Waiter& own = waiters_.own(node.own);
        Ref const self = waiters_.ref(node.own);
        std::uint32_t const numa = topology_->node_of(F::self());
        own.waits.store(1, std::memory_order_relaxed);
        own.is_shuffler.store(0, std::memory_order_relaxed);
        own.batch.store(0, std::memory_order_relaxed);
        own.numa_node.store(numa, std::memory_order_relaxed);
        own.next.store(nullptr, std::memory_order_relaxed);
        // acq_rel: release publishes the record; acquire pairs with the one that left the queue empty
        Ref const before = home_.far(&State::tail).swap(self, std::memory_order_acq_rel);
        if (before) {
            inject::point();
            waiters_.far(before, &Waiter::next).put(self, std::memory_order_release);
            typename F::Wait wait(waiters_);
            // acquire: pairs with leave_queue() of the one before
            for (; own.waits.load(std::memory_order_acquire) != 0; wait.turn())
                if (variant.shuffles && own.is_shuffler.load(std::memory_order_acquire) != 0)
                    shuffle(own, self, numa, false);
        } else if constexpr (variant.steals) {
            home_.far(&State::flag).add(queued, std::memory_order_relaxed);
        }
        bool const was_free = take_flag(own, self, numa);
        node.count.acquired(!variant.steals && !before && was_free);
        leave_queue(own, self);
    }
    void release(Node& /*node*/) {
        // Others may change the rest meanwhile. release: publishes the section
        home_.far(&State::flag).add(0 - held, std::memory_order_release);
    }

  private:
    bool try_to_steal() {
        auto&& flag = home_.far(&State::flag);
        if (variant.looks_first && flag.read(std::memory_order_relaxed) != 0) return false;
        return flag.cas(0, held, std::memory_order_acquire) == 0; // acquire: pairs with release()
    }
    // The head of the queue's. Whether it was free at once.
    bool take_flag(Waiter& own, Ref self, std::uint32_t numa) {
        auto&& flag = home_.far(&State::flag);
        typename F::Wait wait(waiters_);
        std::uint32_t seen = variant.steals ? queued : 0; // while it is free
        for (bool is_first = true;; is_first = false, wait.turn()) {
            if (variant.shuffles && (own.batch.load(std::memory_order_relaxed) == 0 ||
                                     own.is_shuffler.load(std::memory_order_acquire) != 0))
                shuffle(own, self, numa, true);
            if constexpr (variant.looks_first) {
                seen = flag.read(std::memory_order_relaxed);
                if ((seen & held) != 0) continue;
            }
            inject::point();
            std::uint32_t const found = flag.cas(seen, seen | held, std::memory_order_acquire); // pairs with release()
            if (found == seen) return is_first;
            seen = found & ~held;
        }
    }
    void leave_queue(Waiter& own, Ref self) {
        Ref next = own.next.load(std::memory_order_acquire);
        if (!next) {
            inject::point();
            if (home_.far(&State::tail).cas(self, nullptr, std::memory_order_acq_rel) == self) {
                if constexpr (variant.steals) home_.far(&State::flag).add(0 - queued, std::memory_order_relaxed);
                return;
            }
            typename F::Wait wait(waiters_);
            while (!(next = own.next.load(std::memory_order_acquire))) wait.turn();
        }
        waiters_.far(next, &Waiter::waits).put(0, std::memory_order_release);
    }

    // Moves waiters of the own node right behind those that it has moved already; the last of them goes on with it. The
    // queue's last is never moved: another one may be joining behind it.
    void shuffle(Waiter& own, Ref self, std::uint32_t numa, bool is_head) {
        std::uint32_t batch = own.batch.load(std::memory_order_relaxed);
        if (batch == 0) own.batch.store(++batch, std::memory_order_relaxed);
        own.is_shuffler.store(0, std::memory_order_relaxed);
        if (batch >= max_batch) return;
        Ref last_moved = self;
        Ref before = self;
        bool before_is_near = true; // not read again for each step: that is another node's word
        for (;;) {
            Ref const current = waiters_.far(before, &Waiter::next).read(std::memory_order_acquire);
            if (!current || current == home_.far(&State::tail).read(std::memory_order_relaxed)) break;
            bool const is_near = waiters_.far(current, &Waiter::numa_node).read(std::memory_order_relaxed) == numa;
            if (!is_near) {
                before = current;
                before_is_near = false;
            } else if (before_is_near) {
                waiters_.far(current, &Waiter::batch).put(++batch, std::memory_order_relaxed);
                last_moved = before = current;
            } else {
                Ref const after = waiters_.far(current, &Waiter::next).read(std::memory_order_acquire);
                if (!after) break;
                inject::point();
                waiters_.far(current, &Waiter::batch).put(++batch, std::memory_order_relaxed);
                waiters_.far(before, &Waiter::next).put(after, std::memory_order_release);
                Ref const behind = waiters_.far(last_moved, &Waiter::next).read(std::memory_order_acquire);
                waiters_.far(current, &Waiter::next).put(behind, std::memory_order_release);
                waiters_.far(last_moved, &Waiter::next).put(current, std::memory_order_release);
                last_moved = current;
            }
            bool const my_turn = is_head ? (home_.far(&State::flag).read(std::memory_order_relaxed) & held) == 0
                                         : own.waits.load(std::memory_order_relaxed) == 0;
            if (my_turn) break;
        }
        waiters_.far(last_moved, &Waiter::is_shuffler).put(1, std::memory_order_release); // pairs with its reads
    }

    LockTopology const* topology_;
    typename F::template Home<State> home_;
    Waiters waiters_;
};

} // namespace mxk::locks
