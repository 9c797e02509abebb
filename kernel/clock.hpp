// Time. The time-stamp counter is the clock; how fast it ticks, arch/ finds out at start.
#pragma once

#include <limits>

#include "arch/cpu.hpp"
#include "base/units.hpp"

namespace mxk::clock {

// Ticks per second; not a number where it is not known: then neither is what is made of it.
inline double frequency() {
    return arch::timestamp_frequency_is_known() ? static_cast<double>(arch::timestamp_frequency())
                                                : std::numeric_limits<double>::quiet_NaN();
}

// Any core, never blocks.
inline Cycles timestamp() {
    return arch::timestamp();
}
// For waits and the log; what is measured is made of frequency().
Nanoseconds to_nanoseconds(Cycles cycles);
Cycles to_cycles(Nanoseconds time);

// Since the processor's reset (metal) or the machine's (linux): for differences only.
Nanoseconds now();

} // namespace mxk::clock
