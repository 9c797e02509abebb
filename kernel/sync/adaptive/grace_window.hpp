// How a change of a lock's state is completed: after a grace period, in which every core passes the safe point between
// two tasks and every thread leaves its protected section. Those who have come before the change, and know nothing of
// it, have gone then.
#pragma once

#include "kernel/sync/rcu/callback.hpp"

namespace mxk {

struct GraceWindow {
    static constexpr bool closes_at_once = false;
    // callback.function(callback) runs after all visits that have begun before. As rcu::call(); before there are grace
    // periods only the boot core runs, in no visit: at once.
    static void close_later(rcu::Callback& callback, rcu::Urgency urgency);
};

// For what changes only while nobody else runs, and the caller is in no visit: there is nobody to wait for.
struct NoWindow {
    static constexpr bool closes_at_once = true;
    static constexpr void close_later(rcu::Callback& callback, rcu::Urgency) { callback.function(callback); }
};

} // namespace mxk
