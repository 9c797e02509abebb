// Where delays may be injected: before each step of a lock-free protocol whose timing matters. The product does nothing
// there and costs nothing; tests put in random waits, so that narrow windows become wide.
#pragma once

#include <atomic>
#include <cstdint>

namespace mxk {

struct NoDelay {
    static void point() {}
};

// Now and then waits for up to some thousand turns. Any core.
struct RandomDelay {
    static void point() {
        static constinit std::atomic<std::uint64_t> counter{0x9e37'79b9'7f4a'7c15};
        // relaxed: only a source of noise
        std::uint64_t const noise =
            counter.fetch_add(0x9e37'79b9'7f4a'7c15, std::memory_order_relaxed) * 0xbf58'476d'1ce4'e5b9;
        if (noise >> 61 != 0) return; // seven in eight pass at once
        for (std::uint64_t turns = noise >> 40 & 0xfff; turns > 0; --turns) __builtin_ia32_pause();
    }
};

} // namespace mxk
