// How far the time-stamp counters of the cores are apart. Core 0 asks each other core in turn for its counter and
// compares it with the middle between asking and being answered; the fastest of some rounds counts, half of whose
// duration is the uncertainty (Cristian, 1989).
#pragma once

#include <cstdint>

#include "base/units.hpp"

namespace mxk {

struct Skew {
    std::int64_t worst = 0;        // cycles, with its sign: how far `core` is ahead of core 0
    std::uint64_t uncertainty = 0; // cycles, of that core's value
    CoreId core{};
};

// The console's task on core 0.
Skew measure_skew();

// Measures and says it in the log; a skew larger than its uncertainty and than a microsecond is a warning.
void report_skew();

} // namespace mxk
