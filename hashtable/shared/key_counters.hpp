// How many keys a shared table has: each core counts its own inserts and erases, in a line of its own; who wants to
// know adds them up.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/result.hpp"
#include "hashtable/partition/owner.hpp"
#include "hashtable/shared/owner_places.hpp"
#include "kernel/memory/node_array.hpp"
#include "kernel/memory/per_core.hpp"

namespace mxk {

// Any core, never blocks. relaxed everywhere: only numbers.
class KeyCounters {
  public:
    KeyCounters() = default;
    // One for each owner; others share them. Errors: no memory.
    static Result<KeyCounters> create(std::span<Owner const> owners) {
        KeyCounters result;
        result.counters_ = MXK_TRY(PerCore<Counter>::create(owners, [] { return Counter(); }));
        auto const places = MXK_TRY(OwnerPlaces::create(owners));
        result.cores_ = places.cores();
        result.of_core_ = MXK_TRY(NodeArray<Counter*>::create(result.cores_, owners.front().node));
        for (std::size_t core = 0; core < result.cores_; ++core)
            result.of_core_[core] = &result.counters_[places[core]];
        return result;
    }

    // `core`: the caller's. Gives how many its counter has counted. A thread may be preempted here by another one of
    // its core, hence in one instruction.
    std::uint64_t count_insert(std::size_t core) {
        return of(core).inserted.fetch_add(1, std::memory_order_relaxed) + 1;
    }
    std::uint64_t count_erase(std::size_t core) { return of(core).erased.fetch_add(1, std::memory_order_relaxed) + 1; }

    // Exact while nobody counts. A key may be inserted by one core and erased by another one; where its erase is seen
    // here, and its insert is not, the sum does not become less than 0.
    [[nodiscard]] std::size_t sum() const {
        std::uint64_t erased = 0;
        for (Counter const& counter : counters_) erased += counter.erased.load(std::memory_order_relaxed);
        std::uint64_t inserted = 0;
        for (Counter const& counter : counters_) inserted += counter.inserted.load(std::memory_order_relaxed);
        return inserted > erased ? inserted - erased : 0;
    }

  private:
    struct Counter {
        Counter() = default;
        std::atomic<std::uint64_t> inserted{0};
        std::atomic<std::uint64_t> erased{0};
    };
    Counter& of(std::size_t core) const { return *of_core_[core < cores_ ? core : core % cores_]; }

    PerCore<Counter> counters_;
    NodeArray<Counter*> of_core_; // resolved once: every insert and erase asks
    std::size_t cores_ = 0;
};

} // namespace mxk
