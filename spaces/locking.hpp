// How finely a mapping database is locked: by one lock, or by one for each memory object, of any kind (base/lock.hpp);
// by a cascade, which is the one or the other and changes while it is in use (cascade_locking.hpp); or not at all,
// where each object is one core's (owner_locking.hpp). What is withdrawn and not yet authoritative is recorded behind
// the lock, so with one lock there is one record, and everybody who used anything in it is asked.
//
// A Locking has, for the PerObject of a memory object, which is made from the number of the object's part:
//
//     record(own)              where withdrawals of the object are recorded
//     Visit(locking, own)      while it lives no other core is at the object
//         .covers(other)       nor at that object
//         .in_flight()         counts shootdowns of what was withdrawn in such a visit and in no record
//     is_in_flight(own)        whether shootdowns of what was withdrawn from the object are under way
//     claim(own), share(own), is_settled(own)    as MappingDatabase's
//     shared_locks_taken(), own_locks_taken(own)    how often locks were, that are for other objects, too; for this one
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/lock.hpp"
#include "base/lock_rank.hpp"
#include "kernel/memory/mapping/withdrawals.hpp"

namespace mxk::mapping {

// Its holder may need memory for page tables.
inline constexpr LockRank database_rank = lock_bands::objects.rank(12);

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

    // acquire: what these have done is done; pairs with their end.
    [[nodiscard]] bool is_in_flight() const { return in_flight.load(std::memory_order_acquire) != 0; }
};

// A lock, and what it protects.
template <Lock LockType> class LockedRecord {
  public:
    explicit LockedRecord(std::size_t /*part*/ = 0) requires std::constructible_from<LockType, LockRank>
        : lock(database_rank) {}
    explicit LockedRecord(std::size_t /*part*/ = 0) requires(!std::constructible_from<LockType, LockRank>) {}

    LockType lock;
    Record record;
};

// A lock for each object, or one for all.
template <Lock LockType, bool is_for_each> class RecordLocking {
    using Locked = LockedRecord<LockType>;
    struct Nothing {
        explicit Nothing(std::size_t /*part*/ = 0) {}
    };

  public:
    using PerObject = std::conditional_t<is_for_each, Locked, Nothing>;

    class Visit {
      public:
        Visit(RecordLocking& locking, PerObject& own)
            : locking_(locking)
            , locked_(locking.locked(own)) {
            locked_.lock.lock(node_);
            if (has_lock()) locked_.record.taken.add(1);
        }
        ~Visit() { locked_.lock.unlock(node_); }
        Visit(Visit const&) = delete;
        Visit& operator=(Visit const&) = delete;

        [[nodiscard]] bool covers(PerObject& other) const { return &locking_.locked(other) == &locked_; }
        [[nodiscard]] std::atomic<std::size_t>& in_flight() const { return locked_.record.in_flight; }

      private:
        [[nodiscard]] bool has_lock() const {
            if constexpr (requires { node_.is_locked; })
                return node_.is_locked;
            else
                return true;
        }

        RecordLocking& locking_;
        Locked& locked_;
        [[no_unique_address]] typename LockType::Node node_{};
    };

    Record& record(PerObject& own) { return locked(own).record; }
    bool is_in_flight(PerObject& own) { return record(own).is_in_flight(); }

    // As MappingDatabase's.
    void claim(PerObject& own) {
        if constexpr (adapts) locked(own).lock.disable();
    }
    void share(PerObject& own) {
        if constexpr (adapts) locked(own).lock.enable();
    }
    bool is_settled(PerObject& own) {
        if constexpr (adapts) return locked(own).lock.is_stable();
        return true;
    }

    [[nodiscard]] std::uint64_t shared_locks_taken() const {
        if constexpr (is_for_each)
            return 0;
        else
            return shared_.record.taken.value();
    }
    std::uint64_t own_locks_taken(PerObject& own) {
        if constexpr (is_for_each)
            return own.record.taken.value();
        else
            return 0;
    }

  private:
    static constexpr bool adapts = requires(LockType & lock) {
        lock.disable();
        lock.enable();
        lock.is_stable();
    };

    Locked& locked(PerObject& own) {
        if constexpr (is_for_each)
            return own;
        else
            return shared_;
    }

    [[no_unique_address]] std::conditional_t<is_for_each, Nothing, Locked> shared_;
};

template <Lock LockType> using CoarseLocking = RecordLocking<LockType, false>;
template <Lock LockType> using FineLocking = RecordLocking<LockType, true>;

} // namespace mxk::mapping
