// Where a test may delay a core: before each step of a lock-free protocol whose order against other cores matters. A
// random wait there makes a narrow window wide. Builds with MXK_INJECT_DELAYS (sanitized ones, metal-debug) call what
// the test has set, for all threads and cores of the program; in all others point() is nothing.
//
//     tests/delays.hpp: InjectDelays const delays;      every point() of the program waits now and then while it lives
#pragma once

#include <atomic>

namespace mxk::inject {

#ifdef MXK_INJECT_DELAYS
inline constexpr bool enabled = true;
#else
inline constexpr bool enabled = false;
#endif

using Delay = void (*)();

// Null: no delay. relaxed everywhere: when a core sees it does not matter.
inline constinit std::atomic<Delay> current_delay{nullptr};

// Any core, in interrupt handlers, too.
inline void point() {
    if constexpr (enabled)
        if (Delay const delay = current_delay.load(std::memory_order_relaxed)) delay();
}

} // namespace mxk::inject
