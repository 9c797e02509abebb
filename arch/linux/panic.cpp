// How a broken invariant ends a program: the message on stderr, then abort(). mxk itself makes a backtrace and an exit
// status of its own of that (signals.cpp).
#include <cstdlib>
#include <string_view>

#include <sched.h>
#include <unistd.h>

#include "arch/linux/backtrace.hpp"
#include "base/lock_rank.hpp"
#include "base/panic.hpp"
#include "base/spin_wait.hpp"

namespace mxk {

void die(std::string_view message, std::source_location where) {
    FixedText<512> text("\nPANIC");
    arch::print_who(text);
    format(text, ": {}\n  at {}:{}\n", message, where.file_name(), where.line());
    [[maybe_unused]] ssize_t const written = write(STDERR_FILENO, text.view().data(), text.view().size());
    std::abort();
}

void offer_processor() {
    sched_yield();
}

#ifdef MXK_CHECK_LOCKS // else nobody asks, and a thread keeps nothing for it
HeldLocks& held_locks() {
    thread_local constinit HeldLocks held;
    return held;
}
#endif

} // namespace mxk
