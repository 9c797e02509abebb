// Lines of memory for locks whose records go from user to user (CLH): who unlocks leaves its record behind and takes
// that of the one before. Such a record outlives the lock that it was made for, so records belong to no lock: each user
// has some to spare, and what it gets it can use for any lock.
#pragma once

#include <cstdint>

#include "arch/lock_user.hpp"
#include "base/units.hpp"

namespace mxk::locks {

// Fills the caller's spare list. No memory: a panic, since a lock cannot be refused. Any core; takes a spin lock.
void find_spare_lines();
// Some of the caller's are anybody's then. Any core; takes a spin lock.
void give_spare_lines();
// More are not kept by a user: lines go from those who wait in vain to those who release.
constexpr std::uint32_t max_spare_lines = 16;
// At the caller's end, if it is a thread, its lines are given back and its last grant is waited for. Any core.
void keep_new_user();
inline void keep_user() {
    if (!arch::lock_user().is_kept) [[unlikely]]
        keep_new_user();
}

// A line of the caller's, which holds anything. Any core; not in interrupt handlers.
inline LockLine* take_line() {
    LockUser& user = arch::lock_user();
    if (user.spare == nullptr) [[unlikely]]
        find_spare_lines();
    LockLine* const line = user.spare;
    user.spare = line->next;
    --user.spares;
    return line;
}
// The line is the caller's from now on; it may be another's that nobody uses any more.
inline void give_line(LockLine* line) {
    LockUser& user = arch::lock_user();
    line->next = user.spare;
    user.spare = line;
    if (++user.spares > max_spare_lines) [[unlikely]]
        give_spare_lines();
}

} // namespace mxk::locks
