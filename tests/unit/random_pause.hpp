// Delays for tests with more cores than the machine may have processors: waits as RandomDelay does, and now and then
// another thread has the processor.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

#include "tests/delays.hpp"

namespace mxk::test {

struct RandomPause {
    static void point() {
        static constinit std::atomic<std::uint64_t> counter{0};
        // relaxed: only a source of noise
        if (counter.fetch_add(1, std::memory_order_relaxed) * 0x9e37'79b9'7f4a'7c15 >> 60 == 0)
            std::this_thread::yield();
        RandomDelay::point();
    }
};

} // namespace mxk::test
