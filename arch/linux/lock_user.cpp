#include "arch/lock_user.hpp"

#include <atomic>
#include <cstddef>

#include "arch/nearest_core.hpp"

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

void choose_lock_core(std::size_t cores) {
    // Threads on a processor that is no core's are spread. relaxed: a number
    static constinit std::atomic<std::size_t> threads{0};
    thread_local std::size_t const any = threads.fetch_add(1, std::memory_order_relaxed);
    std::size_t const nearest = index(nearest_core());
    this_lock_user.core = core_id(nearest < cores ? nearest : any % cores);
}

} // namespace mxk::arch
