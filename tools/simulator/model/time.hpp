// Simulated time, in parts of a core's cycle. All cores of a machine have one frequency.
#pragma once

#include <cstdint>

namespace mxk::simulator {

/// In 1/64 of a cycle: so that a core that dispatches 4 instructions a cycle has a time for each.
using Time = std::uint64_t;
constexpr Time per_cycle = 64;

constexpr Time cycles(std::uint64_t count) {
    return count * per_cycle;
}
constexpr double in_cycles(Time time) {
    return static_cast<double>(time) / static_cast<double>(per_cycle);
}

} // namespace mxk::simulator
