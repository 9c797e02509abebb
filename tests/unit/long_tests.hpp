// How long a test of random operations goes on: some seconds for all of them together, so that they are run at every
// change, or as long as makes rare states likely.
#pragma once

#include <cstddef>
#include <cstdlib>

namespace mxk::test {

// With MXK_LONG_TESTS in the environment, whatever its value.
inline bool tests_are_long() {
    static bool const are_long = std::getenv("MXK_LONG_TESTS") != nullptr;
    return are_long;
}

inline std::size_t operations(std::size_t in_short_tests, std::size_t in_long_tests) {
    return tests_are_long() ? in_long_tests : in_short_tests;
}

} // namespace mxk::test
