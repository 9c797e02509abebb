// How fast the time-stamp counter ticks: measured against the HPET or the ACPI power-management timer. What CPUID leaf
// 15h or 16h (SDM vol. 3B section 18.7.3), or a hypervisor's leaf 40000010h, say is compared with it, and believed only
// where there is no such clock.
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
};

// Sets what timestamp_frequency() returns, and says in the log where it comes from. The boot core.
void calibrate_tsc(ReferenceClocks const& clocks);

// Spins for a time, by the time-stamp counter.
void busy_wait(Nanoseconds time);

} // namespace mxk::arch
