// How a broken invariant ends a host program: the message on stderr, then abort().
#include <cstdio>
#include <cstdlib>

#include "base/panic.hpp"

namespace mxk {

void die(std::string_view message, std::source_location where) {
    std::fprintf(stderr, "PANIC: %.*s (%s:%u)\n", static_cast<int>(message.size()), message.data(), where.file_name(),
                 static_cast<unsigned>(where.line()));
    std::abort();
}

} // namespace mxk
