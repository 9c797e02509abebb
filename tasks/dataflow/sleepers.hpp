// Which cores of a node sleep, and waking a chosen one: the first that sleeps in an order of preference, which has one
// hardware thread of each physical core before the others, so that siblings work only when every physical core does
// (Falt 2010, sections 6.2 and 6.5).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "arch/attention.hpp"
#include "base/inject.hpp"
#include "base/spin_wait.hpp"
#include "base/units.hpp"
#include "kernel/memory/node_vector.hpp"

namespace mxk::dataflow {

class Sleepers {
  public:
    // No place yet; room for `cores`. Errors: no memory.
    static Result<Sleepers> create(std::size_t cores, NodeId node) {
        Sleepers result;
        result.places_ = MXK_TRY(NodeVector<Place>::create(cores, node));
        return result;
    }
    // In the order of preference.
    void add(CoreId core) { places_.emplace(core); }

    // The core of that place, once it is counted as asleep. seq_cst with what it looks at next: a core that queues work
    // either finds it here or has queued before that look.
    void lie_down(std::size_t place) { places_[place].is_awake.store(false, std::memory_order_seq_cst); }
    // The same core, awake for whatever reason: true if a waker was there.
    [[nodiscard]] bool was_woken(std::size_t place) const {
        return places_[place].is_awake.load(std::memory_order_acquire);
    }
    // It rises by itself; false if a waker was faster.
    [[nodiscard]] bool rise(std::size_t place) {
        bool expected = false;
        return places_[place].is_awake.compare_exchange_strong(expected, true, std::memory_order_acq_rel,
                                                               std::memory_order_acquire);
    }

    // Any core that owes a wake: wakes one. It ends, since one core that counts as awake sleeps or is about to.
    void wake_one() {
        for (SpinWait wait; !wake_if_asleep();) wait.turn();
    }
    // Any core: wakes the first that sleeps; false if none does.
    bool wake_if_asleep() {
        for (Place& place : places_) {
            inject::point();
            // A look first: nearly all are awake, and a locked operation would take the line from those that work.
            if (place.is_awake.load(std::memory_order_seq_cst)) continue;
            bool expected = false;
            if (!place.is_awake.compare_exchange_strong(expected, true, std::memory_order_acq_rel)) continue;
            place.wakes.fetch_add(1, std::memory_order_relaxed);
            arch::wake(place.core);
            return true;
        }
        return false;
    }

    [[nodiscard]] std::size_t size() const { return places_.size(); }
    [[nodiscard]] CoreId core(std::size_t place) const { return places_[place].core; }
    [[nodiscard]] std::uint64_t wakes(std::size_t place) const {
        return places_[place].wakes.load(std::memory_order_relaxed);
    }

  private:
    struct alignas(cache_line_bytes) Place {
        explicit Place(CoreId its_core)
            : core(its_core) {}
        CoreId core;
        std::atomic<bool> is_awake{true};
        std::atomic<std::uint64_t> wakes{0};
    };
    NodeVector<Place> places_;
};

} // namespace mxk::dataflow
