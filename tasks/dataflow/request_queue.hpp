// The requests that a node serves, oldest first. It is scanned without a lock; the core that adds or removes one holds
// the node's lock (Falt 2010, section 6.3.2). Removing moves the younger ones down in ascending order:
//
//     scan of the oldest first      may miss one that stays, which has gone from the next slot to the one before
//     scan of the youngest first    may meet one twice, and misses none: has_tasks(), for a core that is about to sleep
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "base/inject.hpp"
#include "base/panic.hpp"
#include "kernel/memory/node_array.hpp"
#include "tasks/dataflow/request_place.hpp"

namespace mxk::dataflow {

class RequestQueue {
    using Slot = std::atomic<RequestPlace*>;

  public:
    // Errors: no memory.
    static Result<RequestQueue> create(std::size_t capacity, NodeId node) {
        RequestQueue result;
        result.slots_ =
            MXK_TRY(NodeArray<Slot>::create(std::max(capacity, capacity + 1), node)); // the last is always null
        for (Slot& slot : result.slots_.span()) new (&slot) Slot(nullptr);
        return result;
    }

    // Under the node's lock. The youngest from now on.
    void add(RequestPlace& place) {
        expect(size_ + 1 < slots_.size(), "a work queue has room for all places of its scheduler");
        slots_[size_].store(&place, std::memory_order_release);
        ++size_;
    }
    // Under the node's lock. False: it is not here.
    bool remove(RequestPlace const& place) {
        std::size_t at = 0;
        while (at < size_ && slots_[at].load(std::memory_order_relaxed) != &place) ++at;
        if (at == size_) return false;
        for (; at + 1 < size_; ++at) {
            slots_[at].store(slots_[at + 1].load(std::memory_order_relaxed), std::memory_order_release);
            inject::point();
        }
        --size_;
        slots_[size_].store(nullptr, std::memory_order_release);
        return true;
    }
    [[nodiscard]] std::size_t size() const { return size_; }
    // Under the node's lock; null if it is empty.
    [[nodiscard]] RequestPlace* youngest() const {
        return size_ != 0 ? slots_[size_ - 1].load(std::memory_order_relaxed) : nullptr;
    }

    // Any core: whether tasks are queued; those of a request that is added meanwhile may be missed.
    [[nodiscard]] bool has_tasks() const {
        for (std::size_t at = slots_.size() - 1; at-- != 0;) {
            // acquire: pairs with the release in add(), and in remove(): below a slot that it has left, a place is
            // found
            RequestPlace const* const place = slots_[at].load(std::memory_order_acquire);
            if (place != nullptr && place->may_have_tasks()) return true;
        }
        return false;
    }
    // Any core: how many; a moment's number.
    [[nodiscard]] std::size_t tasks() const {
        std::size_t result = 0;
        for (Slot const& slot : slots_.span()) {
            RequestPlace const* const place = slot.load(std::memory_order_acquire);
            if (place == nullptr) break;
            result += place->tasks();
        }
        return result;
    }
    // Any core: how many of `node`'s own requests rest (RequestPlace); a moment's number.
    [[nodiscard]] std::uint32_t resting(std::uint16_t node) const {
        std::uint32_t result = 0;
        for (Slot const& slot : slots_.span()) {
            RequestPlace const* const place = slot.load(std::memory_order_acquire);
            if (place == nullptr) break;
            if (place->rests() && !place->is_guest_of(node)) ++result;
        }
        return result;
    }
    // Any core of `node`: the oldest request that is left alone (RequestPlace), other than its `own` unless `after` is
    // 0, guests last; null if none is.
    RequestPlace* left_alone(std::uint16_t node, RequestPlace const* own, Cycles now, Cycles after) {
        RequestPlace* oldest = nullptr;
        RequestPlace* guest = nullptr;
        for (Slot const& slot : slots_.span()) {
            RequestPlace* const place = slot.load(std::memory_order_acquire);
            if (place == nullptr) break;
            if (place == own && after != Cycles{}) continue;
            if (!place->is_left_alone(now, after)) continue;
            RequestPlace*& found = place->is_guest_of(node) ? guest : oldest;
            if (found == nullptr) found = place;
        }
        return oldest != nullptr ? oldest : guest;
    }
    // Any core of the node: the oldest task of the oldest request that has one, guests last; null if there is none.
    ReschedulableTask* take(std::uint16_t node) {
        bool has_guests = false;
        ReschedulableTask* const task = take_of(node, false, has_guests);
        return task == nullptr && has_guests ? take_of(node, true, has_guests) : task;
    }
    // The same under the node's lock, with a look into each request, for comparison (Falt 2010, section 6.3.2).
    ReschedulableTask* take_locked(std::uint16_t node) {
        for (std::size_t at = 0; at < size_; ++at)
            if (auto* const task = slots_[at].load(std::memory_order_relaxed)->take(node); task != nullptr) return task;
        return nullptr;
    }

  private:
    ReschedulableTask* take_of(std::uint16_t node, bool of_guests, bool& has_guests) {
        for (std::size_t at = 0; at + 1 < slots_.size(); ++at) {
            // acquire: pairs with the release in add()
            RequestPlace* const place = slots_[at].load(std::memory_order_acquire);
            if (place == nullptr) return nullptr;
            if (!place->may_have_tasks()) continue;
            if (place->is_guest_of(node) != of_guests) {
                has_guests = true;
                continue;
            }
            if (ReschedulableTask* const task = place->take(node); task != nullptr) return task;
        }
        return nullptr;
    }

    NodeArray<Slot> slots_;
    std::size_t size_ = 0;
};

} // namespace mxk::dataflow
