// MXK's memory lies in 2 MiB pages. A peer that takes no allocator gets its memory from the C library, which asks for
// such pages only if it is told so by the environment before the program starts. So the program starts itself once more
// with it set.
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/log.hpp"

namespace mxk::bench {
namespace {

constexpr char const* variable = "GLIBC_TUNABLES";
constexpr char const* tunable = "glibc.malloc.hugetlb";

// The C library hands the program's arguments to constructors, too.
[[gnu::constructor]] void start_with_large_pages(int, char** arguments) {
    char const* const now = std::getenv(variable);
    std::string wanted = now != nullptr ? now : "";
    if (wanted.find(tunable) != std::string::npos) return; // set by us, or by somebody who knows
    if (!wanted.empty()) wanted += ':';
    setenv(variable, (wanted + tunable + "=1").c_str(), 1);
    execv("/proc/self/exe", arguments);
    log::warn("the peers' memory has small pages only: cannot start again with {}: {}", variable, std::strerror(errno));
}

} // namespace
} // namespace mxk::bench
