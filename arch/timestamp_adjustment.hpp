// Setting the time-stamp counter of a core forward or back (IA32_TSC_ADJUST: SDM vol. 3B section 17.17.3), so that
// spans from one core to another mean something. Not on Linux, where the system has done it.
#pragma once

#include <cstdint>

namespace mxk::arch {

// Whether the processor can. Any core.
bool can_adjust_timestamp();
// The calling core's counter, by so many cycles; false: the processor does not take it. Alarms that are set do not move
// with it. Does not block.
bool adjust_timestamp(std::int64_t cycles);

} // namespace mxk::arch
