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
        return result;
    }

    // `place`: the caller's, any number. Gives how many that place has counted. A thread may be preempted here by
    // another one of its core, hence in one instruction.
    std::uint64_t count_insert(std::size_t place) {
        return of(place).inserted.fetch_add(1, std::memory_order_relaxed) + 1;
    }
    std::uint64_t count_erase(std::size_t place) {
        return of(place).erased.fetch_add(1, std::memory_order_relaxed) + 1;
    }

    // Exact while nobody counts. A key may be erased by another core than the one that has inserted it; one that is
    // counted in between only half is not let go below 0.
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
    Counter& of(std::size_t place) const {
        return counters_[place < counters_.size() ? place : place % counters_.size()];
    }

    PerCore<Counter> counters_;
};

} // namespace mxk
