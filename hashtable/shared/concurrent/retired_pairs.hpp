// Pairs of a concurrent table that wait for a grace period when there is no memory for a batch (pair_supply.hpp):
// each has two bits in the page that it lies in, so that to give a pair back needs no memory.
//
//     page of 4 KiB | waiting | pair | pair | ...         in `waiting`: a bit for each of them, twice
//
// One of the two sets of bits takes those that are retired now, the other one waits for the grace period that is under
// way.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/lock_rank.hpp"
#include "base/spin_lock.hpp"
#include "base/units.hpp"
#include "hashtable/shared/concurrent/pair.hpp"
#include "hashtable/shared/concurrent/pair_depot.hpp"
#include "kernel/sync/rcu/rcu.hpp"

namespace mxk::concurrent {

class PairSupply;

// What each page begins with that pairs are taken from.
struct PairPage {
    static constexpr std::size_t bytes = 4 * KiB;
    static constexpr std::size_t pairs = bytes / sizeof(Pair) - 1;

    static PairPage& of(void* place) {
        auto const address = reinterpret_cast<std::uintptr_t>(place);
        return *reinterpret_cast<PairPage*>(address - address % bytes);
    }
    void set_waiting(Pair const& pair, unsigned set) {
        auto const at = static_cast<std::size_t>(&pair - reinterpret_cast<Pair const*>(this));
        waiting[set][at / 64] |= std::uint64_t{1} << at % 64;
    }
    // take(pair) for those of the set, which is empty then.
    template <typename Take> void take_waiting(unsigned set, Take take) {
        for (std::size_t word = 0; word < waiting[set].size(); ++word)
            for (; waiting[set][word] != 0; waiting[set][word] &= waiting[set][word] - 1)
                take(reinterpret_cast<Pair*>(
                    this)[word * 64 + static_cast<std::size_t>(std::countr_zero(waiting[set][word]))]);
    }

    std::array<std::array<std::uint64_t, 2>, 2> waiting{};
};
static_assert(sizeof(PairPage) == sizeof(Pair));

class RetiredPairs : rcu::Callback {
  public:
    RetiredPairs() = default;
    RetiredPairs(RetiredPairs const&) = delete;
    RetiredPairs& operator=(RetiredPairs const&) = delete;

    // All pairs are this supply's, or of others that are added. While nobody uses them; outlives this.
    void add(PairSupply& supply);
    // One that was unlinked: after a grace period it goes to a depot. Any core, tasks and threads. What it waits for
    // looks at all pages of the table: only while memory is short.
    void retire(Pair& pair);
    // Whether some wait.
    [[nodiscard]] bool is_waited_for() const { return calls_out_.load(std::memory_order_acquire) != 0; }

  private:
    void call();
    void come_back();

    SpinLock lock_{lock_bands::objects.rank(13)};
    PairSupply* supplies_ = nullptr; // by their links
    unsigned set_ = 0;               // of those that are retired now
    bool has_more_ = false;          // retired since the grace period under way was asked for
    bool is_called_ = false;
    std::atomic<unsigned> calls_out_{0}; // not under the lock
};

} // namespace mxk::concurrent
