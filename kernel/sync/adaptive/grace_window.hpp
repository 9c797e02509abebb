// How a change of a lock's state is completed: after a grace period, in which every core passes the safe point between
// two tasks and every thread leaves its protected section. Those who have come before the change, and know nothing of
// it, have gone then.
#pragma once

#include "kernel/sync/rcu/rcu.hpp"

namespace mxk {

struct GraceWindow {
    // callback.function(callback) runs after all visits that have begun before. As rcu::call(); before there are grace
    // periods only the boot core runs, in no visit: at once.
    static void close_later(rcu::Callback& callback, rcu::Haste haste) {
        if (rcu::periods() == nullptr) return callback.function(callback);
        rcu::call(callback, haste);
    }
};

} // namespace mxk
