// How finely a mapping database is locked: by one lock, or by one for each memory object. What is withdrawn and not yet
// authoritative is recorded behind the lock, so with one lock there is one record, and everybody who used anything in
// it is asked. Any lock will do (base/lock.hpp), one that adapts or a cascade of several as well.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include "base/lock.hpp"
#include "base/lock_rank.hpp"
#include "kernel/memory/mapping/withdrawals.hpp"

namespace mxk::mapping {

// Its holder may need memory for page tables.
inline constexpr LockRank database_rank = lock_bands::objects.rank(12);

// A lock, and what it protects.
template <Lock LockType> class LockedRecord {
  public:
    LockedRecord() requires std::constructible_from<LockType, LockRank> : lock(database_rank) {}
    LockedRecord() requires(!std::constructible_from<LockType, LockRank>) = default;

    LockType lock;
    Withdrawals withdrawals;               // behind the lock
    std::uint64_t taken = 0;               // how often the lock was; behind it
    std::atomic<std::size_t> in_flight{0}; // shootdowns of what was taken out of that
};

template <Lock LockType> class CoarseLocking {
  public:
    using LockOf = LockType;
    struct PerObject {};
    LockedRecord<LockType>& record(PerObject& /*object*/) { return record_; }

  private:
    LockedRecord<LockType> record_;
};

template <Lock LockType> class FineLocking {
  public:
    using LockOf = LockType;
    using PerObject = LockedRecord<LockType>;
    LockedRecord<LockType>& record(PerObject& object) { return object; }
};

} // namespace mxk::mapping
