// By which code a processor counts an event: bits 7:0 its number, 15:8 its unit mask, as in IA32_PERFEVTSELx (SDM vol.
// 3B chapter 20) and in PERF_CTL of AMD (APM vol. 2 section 13.2). Pure.
//   Intel: the architectural events of leaf 0Ah (SDM vol. 3B section 20.2.1.2); from Skylake's servers
//     on L2_RQSTS.MISS, and MEM_LOAD_L3_MISS_RETIRED.REMOTE_DRAM, REMOTE_HITM and REMOTE_FWD together: loads only.
//   AMD from family 17h on (PPR): PMCx076, PMCx0C0, PMCx0C3; misses of the second level by loads and fetches (PMCx064);
//     fills from beyond the core's third level, and from another node: by demand in family 17h (PMCx043), all from
//     family 19h on (PMCx044).
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "arch/cpuid/cpuid.hpp"
#include "arch/event_counters.hpp"

namespace mxk::arch {

using EventCodes = std::array<std::optional<std::uint16_t>, hardware_events>; // by Event; none: not known

// `ask`: answers as a core of the machine.
EventCodes event_codes(AskCpuid ask);

} // namespace mxk::arch
