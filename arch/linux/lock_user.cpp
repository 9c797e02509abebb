#include "arch/lock_user.hpp"

namespace mxk::arch {

thread_local constinit LockUser this_lock_user;

namespace {

// Beside the user, which would be slower to reach if it had a destructor.
struct UserEnd {
    ~UserEnd() {
        if (end != nullptr) end(this_lock_user);
    }
    void (*end)(LockUser&) = nullptr;
};

} // namespace

void keep_lock_user(void (*end)(LockUser&)) {
    thread_local UserEnd at_end;
    at_end.end = end;
    this_lock_user.is_kept = true;
}

} // namespace mxk::arch
