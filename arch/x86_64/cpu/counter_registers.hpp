// Which registers count what arch/core_counters.hpp promises, by CPUID, and what their values mean. Pure: tested on the
// host with made-up processors.
//   SMIs: MSR_SMI_COUNT (SDM vol. 4 tables 2-15 and 2-6: Intel from Nehalem and Silvermont on); on AMD from family 17h
//     on a performance counter for event 2Bh, "SMIs received" (PPR, PMCx02B).
//   Frequency: IA32_APERF and IA32_MPERF (SDM vol. 3B section 14.2).
//   Throttling: IA32_THERM_STATUS and IA32_PACKAGE_THERM_STATUS (sections 14.8.5.2 and 14.8.6).
#pragma once

#include <cstdint>
#include <optional>

#include "arch/core_counters.hpp"
#include "arch/x86_64/cpu/cpuid_levels.hpp"

namespace mxk::arch {

namespace msr {
constexpr std::uint32_t smi_count = 0x34;
constexpr std::uint32_t mperf = 0xe7;
constexpr std::uint32_t aperf = 0xe8;
constexpr std::uint32_t thermal_status = 0x19c;
constexpr std::uint32_t package_thermal_status = 0x1b1;
constexpr std::uint32_t amd_event_select = 0xc001'020a; // of the last of six counters, which firmware uses last, too
constexpr std::uint32_t amd_event_count = 0xc001'020b;
} // namespace msr

struct CounterRegisters {
    bool smi_count = false;
    bool amd_events = false; // SMIs by a performance counter
    bool frequency = false;
    bool thermal_status = false;
    bool package_status = false;
    bool power_limit = false;  // thermal_status has its bits
    bool other_limits = false; // those of current and of other domains

    [[nodiscard]] bool any() const { return smi_count || amd_events || frequency || thermal_status || package_status; }
};

// `ask`: answers as a core of the machine.
CounterRegisters counter_registers(AskCpuid ask);

// Of AMD: from MSR C001'0200h on, each selection followed by its counter (APM vol. 2 section 13.2).
bool has_six_event_counters(AskCpuid ask);

// What makes a performance counter of AMD count SMIs, in all modes.
constexpr std::uint64_t amd_smi_event = 1 << 22 | 3 << 16 | 0x2b;

// `read`: the value of a register, or nothing where the processor does not have it after all.
using ReadMsr = std::optional<std::uint64_t> (*)(std::uint32_t number);
CoreCounters read_counters(CounterRegisters const& registers, ReadMsr read);

// The largest time between two of the values that `now` gives, until they are `duration` from the first one.
template <typename Now> std::uint64_t max_gap_of(Now now, std::uint64_t duration) {
    std::uint64_t const start = now();
    std::uint64_t largest = 0;
    for (std::uint64_t last = start; last - start < duration;) {
        std::uint64_t const current = now();
        if (current - last > largest) largest = current - last;
        last = current;
    }
    return largest;
}

} // namespace mxk::arch
