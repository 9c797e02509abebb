// How fast the time-stamp counter ticks: measured against the HPET, the ACPI power-management timer or the i8254. What
// the processor or a hypervisor says (stated_frequency.hpp) is compared with it, and believed only where there is no
// such clock; the CMOS clock is asked where nobody says anything.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/units.hpp"

namespace mxk::arch {

struct ReferenceClocks {
    std::optional<PhysicalAddress> hpet;
    std::optional<std::uint16_t> pm_timer_port;
    bool pm_timer_is_32_bit = false;
    bool cmos_clock = true;
};

// Sets what timestamp_frequency() returns, and says in the log where it comes from. The boot core.
void calibrate_tsc(ReferenceClocks const& clocks);

// Spins for a time, by the time-stamp counter.
void busy_wait(Nanoseconds time);

} // namespace mxk::arch
