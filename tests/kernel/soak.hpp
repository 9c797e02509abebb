// Threads and tasks of all kinds together, for a while.
#pragma once

#include <cstdint>

namespace mxk {

struct SoakOptions {
    std::uint32_t seconds = 20;
    std::uint32_t threads = 64;
    std::uint32_t seed = 1;
};

// Makes checks (kernel/testing.hpp). The console's task.
void soak(SoakOptions const& options);

} // namespace mxk
