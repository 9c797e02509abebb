// What a test that runs inside the kernel (kernel/testing.hpp) says of itself besides its verdict.
#pragma once

#include <cstdint>

namespace mxk::inner_tests {

// Behind the verdict, if the test passes: "(3 grace periods)". `what` is a literal. The test's body; the last one
// counts.
void remark(std::uint64_t count, char const* what);

} // namespace mxk::inner_tests
