// What locks keep for their user (base/lock_user.hpp). On Linux the user is a thread.
#pragma once

#include <cstddef>

#include "arch/core_local.hpp"
#include "arch/sections.hpp"
#include "base/lock_user.hpp"
#include "base/panic.hpp"

namespace mxk::arch {

extern thread_local constinit LockUser this_lock_user;

// The caller's. Any thread.
inline LockUser& lock_user() {
    return this_lock_user;
}
// `end` gets what the user has when it ends. Once for each user.
void keep_lock_user(void (*end)(LockUser&));

// Whose core the caller counts as in locks for nodes. Of a thread that is no core and lives on none: the one that
// begin_holding() has found.
inline CoreId lock_core() {
    if (this_core != nullptr) return this_core->id;
    if (section_reader.home != nullptr) return section_reader.home->id;
    expect(this_lock_user.held != 0, "the calling thread is a core, lives on one, or holds a lock of mxk/locks.hpp");
    return this_lock_user.core;
}
// Around what such a thread does with a lock, from before its acquisition to behind its release: so long it counts as
// the same one of so many cores, the one of the processor where it ran when it held no lock, or shortly before.
void choose_lock_core(std::size_t cores);
inline void begin_holding(std::size_t cores) {
    LockUser& user = this_lock_user;
    if (user.held++ != 0) return;
    if (user.turns++ % 64 == 0 || index(user.core) >= cores) [[unlikely]]
        choose_lock_core(cores);
}
inline void end_holding() {
    --this_lock_user.held;
}

} // namespace mxk::arch
