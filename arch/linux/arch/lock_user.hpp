// What locks keep for their user (base/lock_user.hpp). On Linux the user is a thread.
#pragma once

#include "base/lock_user.hpp"

namespace mxk::arch {

extern thread_local constinit LockUser this_lock_user;

// The caller's. Any thread.
inline LockUser& lock_user() {
    return this_lock_user;
}
// `end` gets what the user has when it ends. Once for each user.
void keep_lock_user(void (*end)(LockUser&));

} // namespace mxk::arch
