#include "arch/cpu.hpp"

#include <chrono>

namespace mxk::arch {

// Measured against the steady clock, once.
std::uint64_t timestamp_frequency() {
    static std::uint64_t const hertz = [] {
        using Clock = std::chrono::steady_clock;
        auto const start = Clock::now();
        std::uint64_t const ticks_start = raw(timestamp());
        while (Clock::now() - start < std::chrono::milliseconds(20)) pause();
        std::uint64_t const ticks = raw(timestamp()) - ticks_start;
        std::chrono::duration<double> const seconds = Clock::now() - start;
        return static_cast<std::uint64_t>(static_cast<double>(ticks) / seconds.count());
    }();
    return hertz;
}

} // namespace mxk::arch
