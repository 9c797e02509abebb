// A mapping database as one object that can be divided, behind a cascade of locks (kernel/sync/adaptive): one for all
// memory objects, or one for each part of them, or none for a core that is alone, changed while the database is in use.
// Withdrawals are recorded for each object, whatever the granularity: so nobody is asked because of what others have
// withdrawn.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/lock.hpp"
#include "base/lock_rank.hpp"
#include "base/units.hpp"
#include "kernel/sync/adaptive/lock_cascade.hpp"
#include "spaces/locking.hpp"

namespace mxk::mapping {

// The coarse lock; the fine ones have database_rank.
inline constexpr LockRank cascade_rank = lock_bands::objects.rank(11);

// VisitKind: as LockCascade's Visit.
template <Lock Inner, typename VisitKind = TaskVisit> class CascadeLocking {
    // Locks of neighbouring parts are in lines of their own, since different cores use these.
    struct alignas(cache_line_bytes) LineLock : Inner {
        using Inner::Inner;
    };

  public:
    using Cascade = LockCascade<LineLock, VisitKind>;

    struct PerObject {
        explicit PerObject(std::size_t its_part)
            : part(its_part) {}
        std::size_t part;
        Record record;
    };

    // `parts`: as many as objects are divided into; the locks of these lie on `node`, while there are some. Coarse at
    // first.
    CascadeLocking(std::size_t parts, NodeId node)
        : cascade_(parts, node, cascade_rank, database_rank) {}

    // Changes the granularity.
    [[nodiscard]] Cascade& cascade() { return cascade_; }

    class Visit {
      public:
        Visit(CascadeLocking& locking, PerObject& own)
            : locking_(locking)
            , own_(own) {
            locking.cascade_.lock(own.part, node_);
            if (node_.has_coarse) locking.coarse_taken_.add(1);
            if (node_.fine != nullptr) own.record.taken.add(1);
        }
        ~Visit() { locking_.cascade_.unlock(node_); }
        Visit(Visit const&) = delete;
        Visit& operator=(Visit const&) = delete;

        [[nodiscard]] bool covers(PerObject const& other) const { return node_.has_all_parts() || &other == &own_; }
        // Of all objects, where a visit is for all of them: then one addition is for 32 pages.
        [[nodiscard]] std::atomic<std::size_t>& in_flight() const {
            return node_.has_all_parts() ? locking_.in_flight_ : own_.record.in_flight;
        }

      private:
        CascadeLocking& locking_;
        PerObject& own_;
        typename Cascade::Node node_{};
    };

    static Record& record(PerObject& own) { return own.record; }
    // acquire: as Record's.
    [[nodiscard]] bool is_in_flight(PerObject const& own) const {
        return own.record.is_in_flight() || in_flight_.load(std::memory_order_acquire) != 0;
    }

    // Of all objects together.
    void claim(PerObject const& /*own*/) { cascade_.claim(); }
    void share(PerObject const& /*own*/) { cascade_.coarsen(); }
    [[nodiscard]] bool is_settled(PerObject const& /*own*/) const { return cascade_.is_stable(); }

    [[nodiscard]] std::uint64_t shared_locks_taken() const { return coarse_taken_.value(); }
    static std::uint64_t own_locks_taken(PerObject const& own) { return own.record.taken.value(); }

  private:
    Cascade cascade_;
    TakenCount coarse_taken_;               // behind the coarse lock
    std::atomic<std::size_t> in_flight_{0}; // shootdowns of what was withdrawn in visits of all parts
};

} // namespace mxk::mapping
