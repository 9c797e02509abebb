// How far the time-stamp counters of the cores are apart. Core 0 asks each other core in turn for its counter and
// compares it with the middle between asking and being answered; the fastest of some rounds counts, half of whose
// duration is the uncertainty (Cristian, 1989).
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/units.hpp"

namespace mxk {

struct Skew {
    std::int64_t worst = 0;        // cycles, with its sign: how far `core` is ahead of core 0
    std::uint64_t uncertainty = 0; // cycles, of that core's value
    CoreId core{};
    std::size_t measured = 0;  // cores that were asked; a machine whose cores answer slowly has not been asked for all
    std::size_t corrected = 0; // of them, cores whose counter has been set
    std::int64_t worst_before = 0; // of them, cycles ahead of core 0 before that
};

// Of the cores that answer within `patience` in all, which is 1 µs for each on hardware. A core whose counter is off by
// more than the uncertainty and than a microsecond has it set by as much, where the processor can
// (arch/timestamp_adjustment.hpp), and is measured again. The console's task on core 0.
Skew correct_skew(Nanoseconds patience);

// Corrects for up to two seconds and says it in the log. A skew larger than its uncertainty and than a microsecond that
// is left is a warning; one that is smaller than an uncertainty of more than 100 µs is not known.
void report_skew();

} // namespace mxk
