// Random delays for tests: between the steps of a test's own code by RandomDelay::point(), and inside the queues, locks
// and semaphores under test by InjectDelays, in builds that inject delays (base/inject.hpp).
#pragma once

#include <atomic>
#include <cstdint>

#include "base/inject.hpp"

namespace mxk {

struct NoDelay {
    static void point() {}
};

// Waits for up to some thousand turns, once in eight times. Any core.
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

// While it lives, all injection points of the program delay. One at a time.
class InjectDelays {
  public:
    explicit InjectDelays(inject::Delay delay = &RandomDelay::point) {
        inject::current_delay.store(delay, std::memory_order_relaxed);
    }
    ~InjectDelays() { inject::current_delay.store(nullptr, std::memory_order_relaxed); }
    InjectDelays(InjectDelays const&) = delete;
    InjectDelays& operator=(InjectDelays const&) = delete;
};

} // namespace mxk
