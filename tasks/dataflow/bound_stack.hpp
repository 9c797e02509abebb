// The bound tasks of one core: its owner pushes and takes the newest, others steal the oldest. It is made for an owner
// that is hardly ever stolen from: what it takes costs no locked instruction of its own, not even the last task; a
// thief takes a lock. (The protocol of Cilk-5: Frigo, Leiserson, Randall, The implementation of the Cilk-5
// multithreaded language, PLDI 1998, section 5, with the orders of x86-64. Chase and Lev's deque, SPAA 2005, spares the
// thief the lock and has the owner compete for the last task by a compare-and-swap; in a pipe every task is the last
// one.)
//
//     top: the oldest -> | task | task | ... | task | <- bottom: behind the newest           top <= bottom
//
// A thief claims the oldest task, by claimed_ = top + 1, and takes it if bottom is not below that; the owner lowers
// bottom, and has the newest if claimed_ is not above that. Each writes before it reads, with a fence between, so not
// both overlook the other; if both see each other, the thief gives way, and the owner decides again under the lock.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/fence.hpp"
#include "base/inject.hpp"
#include "base/lock_rank.hpp"
#include "base/spin_lock.hpp"
#include "base/units.hpp"
#include "kernel/memory/node_array.hpp"

namespace mxk::dataflow {

class ReschedulableTask;

class BoundStack {
    using Slot = std::atomic<ReschedulableTask*>;

  public:
    static constexpr std::size_t first_capacity = 256;

    // Errors: no memory.
    static Result<BoundStack> create(NodeId node) {
        return BoundStack(node, MXK_TRY(make_slots(first_capacity, node)));
    }
    BoundStack(BoundStack&& other) noexcept // before anybody uses it
        : BoundStack(other.node_, std::move(other.slots_)) {}

    // Its owner. False: there is no memory to grow.
    [[nodiscard, gnu::always_inline]] bool push(ReschedulableTask& task) {
        std::int64_t const bottom = bottom_.load(std::memory_order_relaxed);
        // acquire: a slot is free again once its thief says so
        if (bottom - top_.load(std::memory_order_acquire) > mask_ && !grow()) [[unlikely]]
            return false;
        slot(bottom).store(&task, std::memory_order_relaxed);
        inject::point();
        // release: pairs with the acquire in steal_oldest(), for the slot and all that the task refers to
        bottom_.store(bottom + 1, std::memory_order_release);
        return true;
    }

    // Its owner. The newest; null if there is none.
    [[gnu::always_inline]] ReschedulableTask* take_newest() {
        if (!begin_take()) return nullptr;
        store_load_fence();
        return end_take();
    }
    // take_newest() in two steps, for an owner that executes a locked instruction anyway: begin_take(); that
    // instruction; end_take() or cancel_take(). Until then no other function is called. False: there is none.
    [[nodiscard, gnu::always_inline]] bool begin_take() {
        std::int64_t const bottom = bottom_.load(std::memory_order_relaxed) - 1;
        if (bottom < top_.load(std::memory_order_relaxed)) return false; // top only grows
        // release: a thief that reads this, and takes an older task, finds what push() has published of that
        bottom_.store(bottom, std::memory_order_release);
        return true;
    }
    [[gnu::always_inline]] ReschedulableTask* end_take() {
        store_load_fence_was_there();
        inject::point();
        std::int64_t const bottom = bottom_.load(std::memory_order_relaxed);
        if (claimed_.load(std::memory_order_relaxed) > bottom) [[unlikely]]
            return take_contended();
        return slot(bottom).load(std::memory_order_relaxed);
    }
    void cancel_take() { bottom_.store(bottom_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }

    // Any core but its owner's. The oldest; null if there is none, or its owner is just taking it.
    ReschedulableTask* steal_oldest() {
        if (size() == 0) return nullptr;
        lock_.lock();
        ReschedulableTask* task = nullptr;
        std::int64_t const top = top_.load(std::memory_order_relaxed);
        if (top < bottom_.load(std::memory_order_relaxed)) {
            claimed_.store(top + 1, std::memory_order_relaxed);
            store_load_fence();
            inject::point();
            if (top < bottom_.load(std::memory_order_acquire)) {
                task = slot(top).load(std::memory_order_relaxed);
                top_.store(top + 1, std::memory_order_release);
            } else {
                claimed_.store(top, std::memory_order_relaxed);
            }
        }
        lock_.unlock();
        return task;
    }

    // Any core; a moment's number.
    [[nodiscard]] std::size_t size() const {
        std::int64_t const top = top_.load(std::memory_order_relaxed);
        std::int64_t const bottom = bottom_.load(std::memory_order_relaxed);
        return bottom > top ? static_cast<std::size_t>(bottom - top) : 0;
    }

  private:
    BoundStack(NodeId node, NodeArray<Slot> slots)
        : node_(node)
        , slots_(std::move(slots))
        , mask_(static_cast<std::int64_t>(slots_.size()) - 1) {}

    static Result<NodeArray<Slot>> make_slots(std::size_t count, NodeId node) {
        NodeArray<Slot> slots = MXK_TRY(NodeArray<Slot>::create(count, node));
        std::ranges::uninitialized_default_construct(slots.span());
        return slots;
    }
    Slot& slot(std::int64_t at) { return slots_[static_cast<std::size_t>(at & mask_)]; }

    // A thief has claimed the newest, which is also the oldest: it has taken it, or will give way.
    [[gnu::noinline]] ReschedulableTask* take_contended() {
        lock_.lock();
        std::int64_t const bottom = bottom_.load(std::memory_order_relaxed);
        ReschedulableTask* task = nullptr;
        if (top_.load(std::memory_order_relaxed) <= bottom)
            task = slot(bottom).load(std::memory_order_relaxed);
        else
            bottom_.store(bottom + 1, std::memory_order_relaxed); // as it was: it is empty
        lock_.unlock();
        return task;
    }

    // Twice as large. Thieves read slots under the lock only.
    [[gnu::noinline]] bool grow() {
        auto made = make_slots(2 * slots_.size(), node_);
        if (!made) return false;
        NodeArray<Slot> larger = std::move(made).value(); // after the exchange: the old slots, given back at the end
        std::int64_t const mask = static_cast<std::int64_t>(larger.size()) - 1;
        lock_.lock();
        std::int64_t const bottom = bottom_.load(std::memory_order_relaxed);
        for (std::int64_t at = top_.load(std::memory_order_relaxed); at < bottom; ++at)
            larger[static_cast<std::size_t>(at & mask)].store(slot(at).load(std::memory_order_relaxed),
                                                              std::memory_order_relaxed);
        std::swap(slots_, larger);
        mask_ = mask;
        lock_.unlock();
        return true;
    }

    NodeId node_;
    NodeArray<Slot> slots_; // its owner changes it, under the lock
    std::int64_t mask_;
    std::atomic<std::int64_t> bottom_{0};                        // its owner writes
    alignas(cache_line_bytes) std::atomic<std::int64_t> top_{0}; // thieves write, under the lock
    std::atomic<std::int64_t> claimed_{0};                       // the same; top or one more
    SpinLock lock_{lock_bands::waking.rank(8)};
};

} // namespace mxk::dataflow
