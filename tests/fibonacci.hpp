// The Fibonacci number by recursion, with a fork at each step: for tests of forks.
#pragma once

#include <cstdint>

#include "tasks/fork/fork_core.hpp"

namespace mxk {

inline std::uint64_t fibonacci(ForkCore& core, unsigned n) {
    if (n < 2) return n;
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    core.both([&](ForkCore& its) { first = fibonacci(its, n - 1); },
              [&](ForkCore& its) { second = fibonacci(its, n - 2); });
    return first + second;
}

} // namespace mxk
