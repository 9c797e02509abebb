// A lock that keeps nobody out: where one core owns the data anyway, or to show what goes wrong without a lock.
#pragma once

#include "base/lock.hpp"

namespace mxk {

struct NoLock {
    using Node = NoLockNode;

    void lock(Node& /*node*/ = no_lock_node) {}
    void unlock(Node& /*node*/ = no_lock_node) {}
};
static_assert(Lock<NoLock>);

} // namespace mxk
