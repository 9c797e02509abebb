#include "arch/cpu.hpp"

#include <chrono>

#include "base/spin_wait.hpp"

namespace mxk::arch {
namespace {

using Clock = std::chrono::steady_clock;

// Both clocks at one moment: of several pairs the one whose readings lie closest together, because the system may stop
// the thread between them for milliseconds.
struct Moment {
    Clock::time_point time;
    std::uint64_t ticks;
};

Moment now() {
    constexpr int tries = 16;
    Moment best{};
    std::uint64_t min_width = UINT64_MAX;
    for (int i = 0; i < tries; ++i) {
        std::uint64_t const before = raw(timestamp());
        Clock::time_point const time = Clock::now();
        std::uint64_t const width = raw(timestamp()) - before;
        if (width >= min_width) continue;
        min_width = width;
        best = {time, before + width / 2};
    }
    return best;
}

} // namespace

// Measured against the steady clock, once.
std::uint64_t timestamp_frequency() {
    static std::uint64_t const hertz = [] {
        constexpr auto window = std::chrono::milliseconds(20);
        Moment const start = now();
        for (SpinWait wait; Clock::now() - start.time < window;) wait.turn();
        Moment const end = now();
        std::chrono::duration<double> const seconds = end.time - start.time;
        return static_cast<std::uint64_t>(static_cast<double>(end.ticks - start.ticks) / seconds.count());
    }();
    return hertz;
}

bool timestamp_frequency_is_known() {
    return true;
}

bool has_avx2() {
    return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi") != 0 &&
           __builtin_cpu_supports("bmi2") != 0 && __builtin_cpu_supports("lzcnt") != 0 &&
           __builtin_cpu_supports("popcnt") != 0;
}

} // namespace mxk::arch
