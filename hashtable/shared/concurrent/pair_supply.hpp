// Memory for the pairs of a concurrent table, for each core its own: some made and touched in advance, more in chunks,
// and those that come back when nobody reads them any more. Removed pairs wait for a grace period together, a batch at
// a time, since a reader may still stand on one: nothing in a pair can be used to link it meanwhile. A core that
// removes more than it inserts leaves some hundred pairs to itself, and the others to its node's depot, where those
// who insert more find them before they ask for memory. Without memory for a batch, pairs wait by themselves
// (retired_pairs.hpp).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/lock.hpp"
#include "base/lock_rank.hpp"
#include "base/result.hpp"
#include "base/spin_lock.hpp"
#include "base/units.hpp"
#include "hashtable/shared/concurrent/pair.hpp"
#include "hashtable/shared/concurrent/pair_depot.hpp"
#include "hashtable/shared/concurrent/retired_pairs.hpp"
#include "kernel/memory/memory.hpp"
#include "kernel/sync/rcu/rcu.hpp"

namespace mxk::concurrent {

// All functions: any core, tasks and threads; a lock is held for some instructions, and for the allocator when there is
// nothing left.
class PairSupply {
  public:
    // `depot`: of the node, `retired`: of the table; both outlive this.
    PairSupply(NodeId node, PairDepot& depot, RetiredPairs& retired)
        : depot_(&depot)
        , retired_(&retired)
        , node_(node) {
        retired.add(*this);
    }
    PairSupply(PairSupply const&) = delete;
    PairSupply& operator=(PairSupply const&) = delete;
    // All pairs go with it. Not while is_waited_for().
    ~PairSupply();

    // Makes so many pairs in advance, besides those that there are, and writes to all of their memory. Errors: no
    // memory.
    Result<void> reserve(std::size_t pairs);

    // One that holds anything; null: no memory.
    [[nodiscard]] Pair* take();
    // One that was in no table since it was taken.
    void give_back(Pair& pair);
    // One that was unlinked, after a grace period.
    void retire(Pair& pair);

    // Whether batches of it wait for a grace period.
    [[nodiscard]] bool is_waited_for() const { return batches_out_.load(std::memory_order_acquire) != 0; }
    // What was taken from the machine's memory.
    [[nodiscard]] std::size_t bytes() const;

    // For RetiredPairs: what waits in a set of its pages has waited long enough.
    void take_waiting(unsigned set);
    PairSupply* next_of_table_ = nullptr; // and its list

  private:
    struct Chunk;
    // Of 512 bytes.
    struct Batch : rcu::Callback {
        PairSupply* supply = nullptr;
        std::uint32_t size = 0;
        std::array<Pair*, 60> pairs{};
    };
    static_assert(sizeof(Batch) == 512);
    // In checked builds, what was given back shows it.
    static constexpr bool poisons = check_locks;
    static constexpr std::uint64_t poison = 0xdead'dead'dead'dead;
    static constexpr std::size_t chunk_bytes = 256 * KiB;
    // Of pairs that have come back: more go to the depot.
    static constexpr std::size_t max_groups = 4;

    // Under the lock.
    Result<void> add_chunk(std::size_t bytes);
    // Whether the page that is begun, or else the next one, has room.
    [[nodiscard]] bool has_fresh(std::size_t bytes) const;
    // Of a page, behind what it begins with. Null: no memory.
    void* carve(std::size_t bytes);
    Batch* batch_to_fill();

    Pair* take_from_depot();

    // They are free from now on.
    static Pair* add_to_group(Pair& pair, Pair* group);
    static Pair& group_of(Batch& batch);
    // Whether there is room for the group here. The batch stays in any case.
    bool take_back(Batch& batch, Pair& group);
    void come_back(Batch& batch);

    alignas(cache_line_bytes) mutable SpinLock lock_{lock_bands::objects.rank(14)};
    std::atomic<std::size_t> batches_out_{0}; // not under the lock
    Node* freed_ = nullptr;                   // by their links; null: there are no groups either
    PairGroups groups_;                       // besides
    std::byte* fresh_ = nullptr;
    std::byte* fresh_end_ = nullptr;
    Batch* open_ = nullptr;                  // being filled
    rcu::Callback* freed_batches_ = nullptr; // by `next`
    Chunk* newest_ = nullptr;
    std::size_t bytes_ = 0;
    PairDepot* depot_;
    RetiredPairs* retired_;
    NodeId node_;
};

} // namespace mxk::concurrent
