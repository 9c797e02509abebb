// How finely a mapping database is locked: by one lock, or by one for each memory object; by a cascade, which is the
// one or the other and changes while it is in use (kernel/sync/adaptive); or not at all, where each object is one
// core's. What is withdrawn and not yet authoritative is recorded behind the lock, so with one lock there is one
// record, and everybody who used anything in it is asked.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/lock_rank.hpp"
#include "base/result.hpp"
#include "base/spin_lock.hpp"
#include "base/units.hpp"
#include "kernel/memory/mapping/withdrawals.hpp"
#include "kernel/memory/per_core.hpp"
#include "kernel/sync/adaptive/dynamic_lock.hpp"
#include "kernel/sync/adaptive/lock_cascade.hpp"
#include "kernel/topology/topology.hpp"

namespace mxk::mapping {

enum class LockingKind : std::uint8_t {
    None,    // only one core comes to an object
    Fine,    // a lock for each
    Coarse,  // one for all objects
    Dynamic, // one for each, which its only visitor need not take (dynamic_lock.hpp)
    Cascade, // for all objects, or for each part of them, or none (lock_cascade.hpp)
    Owner    // none: all functions of the database are tasks of the object's owner, whose id is the object's part
};

// Its holder may need memory for page tables.
inline constexpr LockRank database_rank = lock_bands::objects.rank(12);
// Of a cascade's coarse lock; its fine ones have database_rank.
inline constexpr LockRank cascade_rank = lock_bands::objects.rank(11);

// How often a lock was taken: its holder counts, without an atomic read-modify-write; any core may read.
class TakenCount {
  public:
    void add(std::uint64_t count) {
        count_.store(count_.load(std::memory_order_relaxed) + count, std::memory_order_relaxed);
    }
    [[nodiscard]] std::uint64_t value() const { return count_.load(std::memory_order_relaxed); }

  private:
    std::atomic<std::uint64_t> count_{0};
};

// What was withdrawn from objects, and is not yet authoritative.
struct Record {
    Withdrawals withdrawals;               // behind the lock
    TakenCount taken;                      // how often that was
    std::atomic<std::size_t> in_flight{0}; // shootdowns of what was taken out of the withdrawals
};

class Locking {
    // Locks of neighbouring parts are in lines of their own, since different cores use these.
    struct alignas(cache_line_bytes) LineLock : SpinLock {
        using SpinLock::SpinLock;
    };

  public:
    using Cascade = LockCascade<LineLock>;
    using Records = PerCore<Record>;

    // What a memory object has of its own.
    struct Own {
        explicit Own(std::size_t its_part)
            : part(its_part) {}
        std::size_t part;
        SpinLock lock{database_rank};
        DynamicLock<SpinLock> dynamic{database_rank};
        Record record;
    };

    // Of owners, who record what is withdrawn from all their objects together: for these cores, all of the machine.
    // Errors: no memory.
    static Result<Records> make_records(std::span<topology::Core const> cores);

    // `parts`: of a cascade, which is coarse at first, as many as objects are divided into; the locks of these lie on
    // `node`, while there are some. `records`: of owners.
    explicit Locking(LockingKind kind, std::size_t parts = 1, NodeId node = {}, Records records = {})
        : kind_(kind)
        , cascade_(parts, node, cascade_rank, database_rank)
        , records_(std::move(records)) {}

    [[nodiscard]] LockingKind kind() const { return kind_; }
    // Changes the granularity of that kind.
    [[nodiscard]] Cascade& cascade() { return cascade_; }

    // While it lives no other core is at the object. The kinds that differ by some cycles only are inline.
    class Visit {
      public:
        [[gnu::always_inline]] Visit(Locking& locking, Own& own)
            : locking_(locking)
            , own_(own)
            , in_flight_(&locking.record(own).in_flight) {
            if (locking.kind_ == LockingKind::Fine) own.lock.lock();
            if (locking.kind_ <= LockingKind::Fine) {
                own.record.taken.add(1);
            } else if (locking.kind_ == LockingKind::Dynamic) {
                own.dynamic.lock(dynamic_);
                if (dynamic_.is_locked) own.record.taken.add(1);
            } else {
                begin();
            }
        }
        [[gnu::always_inline]] ~Visit() {
            if (locking_.kind_ == LockingKind::Fine)
                own_.lock.unlock();
            else if (locking_.kind_ == LockingKind::Dynamic)
                own_.dynamic.unlock(dynamic_);
            else if (locking_.kind_ != LockingKind::None)
                end();
        }
        Visit(Visit const&) = delete;
        Visit& operator=(Visit const&) = delete;

        // Nor at that object.
        [[nodiscard]] bool covers(Own const& other) const {
            return &other == &own_ || has_all_ || (locking_.kind_ == LockingKind::Owner && other.part == own_.part);
        }
        // Counts shootdowns of what was withdrawn in such a visit and in no record. Of all objects, where a cascade's
        // visit is for all of them: then one addition is for 32 pages.
        [[nodiscard]] std::atomic<std::size_t>& in_flight() const { return *in_flight_; }

      private:
        void begin();
        void end();

        Locking& locking_;
        Own& own_;
        std::atomic<std::size_t>* in_flight_;
        bool has_all_ = false;
        DynamicLock<SpinLock>::Node dynamic_{};
        Cascade::Node cascade_{};
    };

    // Where withdrawals of the object are recorded.
    [[nodiscard]] Record& record(Own& own) {
        if (kind_ == LockingKind::Coarse) return shared_;
        return kind_ == LockingKind::Owner ? records_[core_id(own.part)] : own.record;
    }
    // Whether shootdowns of what was withdrawn from the object are under way. acquire: what these have done is done;
    // pairs with their end. In `shared_` are none but of a coarse lock or a cascade.
    [[nodiscard]] bool is_in_flight(Own& own) {
        return record(own).in_flight.load(std::memory_order_acquire) != 0 ||
               shared_.in_flight.load(std::memory_order_acquire) != 0;
    }

    // As MappingDatabase's.
    void claim(Own& own);
    void share(Own& own);
    [[nodiscard]] bool is_settled(Own const& own) const;

    // How often locks were that are for other objects, too; and for this one.
    [[nodiscard]] std::uint64_t shared_locks_taken() const { return shared_.taken.value(); }
    static std::uint64_t own_locks_taken(Own const& own) { return own.record.taken.value(); }

  private:
    LockingKind kind_;
    SpinLock lock_{database_rank}; // of Coarse
    Record shared_;                // behind it, or of all parts behind a cascade's coarse lock
    Cascade cascade_;
    Records records_;
};

} // namespace mxk::mapping
