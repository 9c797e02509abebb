// Objects that are free, for any core, under a spin lock: a stack linked by a member of theirs.
#pragma once

#include "base/lock_rank.hpp"
#include "base/spin_lock.hpp"

namespace mxk {

// Any core or thread; blocks for a moment's lock.
template <typename T, auto link> class LockedStack {
  public:
    explicit LockedStack(LockRank rank)
        : lock_(rank) {}

    // Null if it is empty.
    T* take() {
        LockGuard const guard(lock_);
        T* const object = first_;
        if (object != nullptr) first_ = object->*link;
        return object;
    }
    void give(T& object) {
        LockGuard const guard(lock_);
        object.*link = first_;
        first_ = &object;
    }

  private:
    SpinLock lock_;
    T* first_ = nullptr;
};

} // namespace mxk
