// Time. The time-stamp counter is the clock; how fast it ticks, arch/ finds out at start.
#pragma once

#include <cstdint>

#include "arch/cpu.hpp"
#include "base/units.hpp"

namespace mxk::clock {

// Ticks per second.
inline std::uint64_t frequency() {
    return arch::timestamp_frequency();
}

// Any core, never blocks.
inline Cycles timestamp() {
    return arch::timestamp();
}
Nanoseconds to_nanoseconds(Cycles cycles);
Cycles to_cycles(Nanoseconds time);

// Since the processor's reset (metal) or the machine's (linux): for differences only.
Nanoseconds now();

} // namespace mxk::clock
