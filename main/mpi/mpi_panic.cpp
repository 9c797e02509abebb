// What the lower rooms ask of a platform, of a process that is a rank: the message, and abort(), by which MPI's starter
// ends the other ranks.
#include "base/panic.hpp"

#include <cstdlib>
#include <source_location>
#include <string_view>

#include <sched.h>
#include <unistd.h>

#include "base/format.hpp"
#include "base/spin_wait.hpp"
#include "base/text.hpp"

namespace mxk {

void die(std::string_view message, std::source_location where) {
    FixedText<512> text;
    format(text, "\nPANIC: {}\n  at {}:{}\n", message, where.file_name(), where.line());
    [[maybe_unused]] ssize_t const written = write(STDERR_FILENO, text.view().data(), text.view().size());
    std::abort();
}

void offer_processor() {
    sched_yield();
}

} // namespace mxk
