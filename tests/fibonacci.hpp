// The Fibonacci number by recursion, with a fork at each step, as a function and as a coroutine: for tests of forks.
#pragma once

#include <cstdint>

#include "tasks/fork/forked.hpp"

namespace mxk {

inline std::uint64_t fibonacci(ForkCore& core, unsigned n) {
    if (n < 2) return n;
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    core.both([&](ForkCore& its) { first = fibonacci(its, n - 1); },
              [&](ForkCore& its) { second = fibonacci(its, n - 2); });
    return first + second;
}
inline Forked<std::uint64_t> fibonacci_of(unsigned n) {
    if (n < 2) co_return n;
    std::uint64_t first = 0;
    co_await fork(first, fibonacci_of(n - 1));
    std::uint64_t const second = co_await fibonacci_of(n - 2);
    co_await join();
    co_return first + second;
}

} // namespace mxk
