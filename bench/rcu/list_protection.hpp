// Ways to protect a list that tasks of all cores read and write (list_run.hpp): RCU, and one lock for all cores
// (simple_locks.hpp). Each has
//
//     read(function), write(function)      calls it as a reader, or as the only writer; gives what it gives
//     give_back(pool, item)                what a write has unlinked, after it: to the core's pool, as soon as may be
//     is_sound(operations, updates)        afterwards: nobody is left inside, and what counts has counted so many
#pragma once

#include <cstdint>

#include "base/lock.hpp"
#include "bench/rcu/simple_locks.hpp"
#include "bench/rcu/sorted_list.hpp"
#include "kernel/sync/rcu/rcu.hpp"

namespace mxk::bench {

// Readers take nothing: a task's body is a read section. Writers exclude each other.
class RcuProtection {
  public:
    template <typename Function> auto read(Function function) const {
        [[maybe_unused]] rcu::TaskReadSection const section;
        return function();
    }
    template <typename Function> auto write(Function function) {
        LockGuard const guard(writers_);
        return function();
    }
    static void give_back(ListItemPool& pool, ListItem& item) { pool.give_back_after_readers(item); }
    [[nodiscard]] bool is_sound(std::uint64_t /*operations*/, std::uint64_t updates) const {
        return writers_.has_counted(updates);
    }

  private:
    TestAndSetLock writers_;
};

// A lock for one at a time.
template <Lock LockType> class LockProtection {
  public:
    template <typename Function> auto read(Function function) {
        LockGuard const guard(lock_);
        return function();
    }
    template <typename Function> auto write(Function function) { return read(function); }
    static void give_back(ListItemPool& pool, ListItem& item) { pool.give_back(item); }
    [[nodiscard]] bool is_sound(std::uint64_t operations, std::uint64_t /*updates*/) {
        return lock_.has_counted(operations);
    }

  protected:
    LockType lock_;
};

// One that lets many readers in.
class ReaderWriterProtection : public LockProtection<ReaderWriterLock> {
  public:
    template <typename Function> auto write(Function function) {
        lock_.lock_for_writing();
        auto const result = function();
        lock_.unlock_for_writing();
        return result;
    }
};

} // namespace mxk::bench
