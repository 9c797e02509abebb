// Free pairs that the cores of a NUMA node have left over, for any core of the machine that needs some: one core may
// erase what another one inserts, for ever. They come and go in groups, the pairs of a batch, so that a lock that many
// cores take is taken once in some dozens of operations.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/lock.hpp"
#include "base/lock_rank.hpp"
#include "base/spin_lock.hpp"
#include "base/units.hpp"
#include "hashtable/shared/concurrent/pair.hpp"

namespace mxk::concurrent {

// Groups of free pairs, the newest first. A group's pairs are linked by their links, and groups by their first pairs'
// keys:
//
//     newest -> | pair | -> | pair | -> | pair |
//                  | key
//                  '-> | pair | -> | pair |
//
// One core at a time.
class PairGroups {
  public:
    // `group`: its first pair.
    void put(Pair& group) {
        group.key = reinterpret_cast<std::uintptr_t>(newest_);
        newest_ = &group;
        ++size_;
    }
    // Null: there is none.
    [[nodiscard]] Pair* take() {
        Pair* const group = newest_;
        if (group == nullptr) return nullptr;
        newest_ = reinterpret_cast<Pair*>(group->key);
        --size_;
        return group;
    }
    [[nodiscard]] std::size_t size() const { return size_; }

  private:
    Pair* newest_ = nullptr;
    std::size_t size_ = 0;
};

// Any core, tasks and threads; a lock is held for some instructions.
class alignas(cache_line_bytes) PairDepot {
  public:
    // The table's depots stand in a ring: `before` is followed by this one. Null: it is the first. While nobody uses
    // them.
    explicit PairDepot(PairDepot* before)
        : next_(before == nullptr ? this : before->next_) {
        if (before != nullptr) before->next_ = this;
    }
    PairDepot(PairDepot const&) = delete;
    PairDepot& operator=(PairDepot const&) = delete;

    void put(Pair& group) {
        LockGuard const guard(lock_);
        groups_.put(group);
    }
    // From this one, or else from another one of the table. Null: there is no group.
    [[nodiscard]] Pair* take() {
        PairDepot* depot = this;
        do {
            if (Pair* const group = depot->take_here()) return group;
            depot = depot->next_;
        } while (depot != this);
        return nullptr;
    }

  private:
    Pair* take_here() {
        LockGuard const guard(lock_);
        return groups_.take();
    }

    SpinLock lock_{lock_bands::objects.rank(15)};
    PairGroups groups_;
    PairDepot* next_;
};

} // namespace mxk::concurrent
