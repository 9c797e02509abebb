// The bound tasks of one core: its owner pushes and takes the newest, others steal the oldest (Chase and Lev, Dynamic
// Circular Work-Stealing Deque, SPAA 2005, with the orders of Le, Pop, Cohen and Zappa Nardelli, PPoPP 2013). It grows;
// what it has grown out of is kept until the end, since a thief may still read there: up to as much again.
//
//     top: the oldest -> | task | task | ... | task | <- bottom: behind the newest           top <= bottom
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/fence.hpp"
#include "base/inject.hpp"
#include "base/units.hpp"
#include "kernel/memory/node_array.hpp"
#include "kernel/memory/node_vector.hpp"

namespace mxk::dataflow {

class ReschedulableTask;

class BoundStack {
    using Slot = std::atomic<ReschedulableTask*>;
    struct Ring {
        explicit Ring(NodeArray<Slot> its_slots)
            : slots(std::move(its_slots))
            , mask(slots.size() - 1) {}
        Slot& operator[](std::int64_t at) { return slots[static_cast<std::size_t>(at) & mask]; }
        NodeArray<Slot> slots;
        std::size_t mask;
    };

  public:
    static constexpr std::size_t first_capacity = 256;

    // Errors: no memory.
    static Result<BoundStack> create(NodeId node) {
        auto rings = MXK_TRY(NodeVector<Ring>::create(max_rings, node));
        rings.emplace(MXK_TRY(NodeArray<Slot>::create(first_capacity, node)));
        return BoundStack(node, std::move(rings));
    }
    BoundStack(BoundStack&& other) noexcept // before anybody uses it
        : BoundStack(other.node_, std::move(other.rings_)) {}

    // Its owner. False: there is no memory to grow.
    [[nodiscard, gnu::always_inline]] bool push(ReschedulableTask& task) {
        std::int64_t const bottom = bottom_.load(std::memory_order_relaxed);
        std::int64_t const top = top_.load(std::memory_order_acquire);
        Ring* ring = ring_.load(std::memory_order_relaxed);
        if (bottom - top > static_cast<std::int64_t>(ring->mask)) [[unlikely]] {
            ring = grow(*ring, top, bottom);
            if (ring == nullptr) return false;
        }
        (*ring)[bottom].store(&task, std::memory_order_relaxed);
        inject::point();
        // release: pairs with the acquire in steal_oldest(), for the slot and all that the task refers to
        bottom_.store(bottom + 1, std::memory_order_release);
        return true;
    }

    // Its owner. The newest; null if there is none.
    [[gnu::always_inline]] ReschedulableTask* take_newest() {
        std::int64_t const bottom = bottom_.load(std::memory_order_relaxed) - 1;
        if (bottom < top_.load(std::memory_order_relaxed)) return nullptr; // top only grows
        Ring& ring = *ring_.load(std::memory_order_relaxed);
        bottom_.store(bottom, std::memory_order_relaxed);
        store_load_fence(); // a thief sees the lower bottom, or this core sees the thief's top
        inject::point();
        std::int64_t top = top_.load(std::memory_order_relaxed);
        if (top < bottom) return ring[bottom].load(std::memory_order_relaxed);
        ReschedulableTask* task = nullptr;
        if (top == bottom) { // the last one: thieves want it, too
            task = ring[bottom].load(std::memory_order_relaxed);
            if (!top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst, std::memory_order_relaxed))
                task = nullptr;
        }
        bottom_.store(bottom + 1, std::memory_order_relaxed);
        return task;
    }

    // Any core. The oldest; null if there is none, or another core has just taken it.
    ReschedulableTask* steal_oldest() {
        std::int64_t top = top_.load(std::memory_order_acquire);
        if (top >= bottom_.load(std::memory_order_acquire)) return nullptr; // a mere look needs no fence
        store_load_fence();
        if (top >= bottom_.load(std::memory_order_acquire)) return nullptr;
        // acquire: pairs with the release in grow(), for the copied slots
        ReschedulableTask* const task = (*ring_.load(std::memory_order_acquire))[top].load(std::memory_order_relaxed);
        inject::point();
        if (!top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst, std::memory_order_relaxed))
            return nullptr;
        return task;
    }

    // Any core; a moment's number.
    [[nodiscard]] std::size_t size() const {
        std::int64_t const top = top_.load(std::memory_order_relaxed);
        std::int64_t const bottom = bottom_.load(std::memory_order_relaxed);
        return bottom > top ? static_cast<std::size_t>(bottom - top) : 0;
    }

  private:
    static constexpr std::size_t max_rings = 24; // 2^31 tasks

    BoundStack(NodeId node, NodeVector<Ring> rings)
        : node_(node)
        , rings_(std::move(rings))
        , ring_(&rings_[0]) {}

    Ring* grow(Ring& old, std::int64_t top, std::int64_t bottom) {
        if (rings_.size() == max_rings) return nullptr;
        auto slots = NodeArray<Slot>::create(2 * (old.mask + 1), node_);
        if (!slots) return nullptr;
        Ring& ring = rings_.emplace(std::move(slots).value());
        for (std::int64_t at = top; at < bottom; ++at)
            ring[at].store(old[at].load(std::memory_order_relaxed), std::memory_order_relaxed);
        ring_.store(&ring, std::memory_order_release);
        return &ring;
    }

    NodeId node_;
    NodeVector<Ring> rings_;
    std::atomic<Ring*> ring_;
    std::atomic<std::int64_t> bottom_{0};                        // its owner writes
    alignas(cache_line_bytes) std::atomic<std::int64_t> top_{0}; // thieves write
};

} // namespace mxk::dataflow
