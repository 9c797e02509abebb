// Threads and tasks of all kinds together, for a while.
#pragma once

#include <cstdint>
#include <string_view>

#include "kernel/console/invocation.hpp"

namespace mxk {

struct SoakOptions {
    std::uint32_t seconds = 20;
    std::uint32_t threads = 64;
    std::uint32_t seed = 1;
    std::string_view with{}; // parts (soak_part.hpp), between commas
};

// Makes checks (kernel/testing.hpp). Ends early where `invocation`, if there is one, is cancelled. The console's task.
void soak(SoakOptions const& options, console::Invocation const* invocation = nullptr);

} // namespace mxk
