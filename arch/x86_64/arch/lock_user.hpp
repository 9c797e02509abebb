// What locks keep for their user (base/lock_user.hpp). On metal the user is the core: what runs on it is not preempted
// while it waits for a lock or holds one.
#pragma once

#include "arch/core_local.hpp"
#include "arch/sections.hpp"
#include "base/lock_user.hpp"

namespace mxk::arch {

// The caller's, for as long as it is not preempted. Any core.
inline LockUser& lock_user() {
    return core_local().lock_user;
}
// `end` gets what the user has when it ends. A core never does.
inline void keep_lock_user(void (*)(LockUser&)) {}

// Whose core the caller counts as in locks for nodes.
inline CoreId lock_core() {
    return home_core();
}

} // namespace mxk::arch
