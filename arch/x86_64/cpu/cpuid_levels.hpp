// What CPUID says about the levels of a core (SDM vol. 3A section 9.9.3 and leaves 4, 0Bh, 1Fh in vol. 2A; AMD APM
// vol. 3, leaves 8000'0008h, 8000'001Dh, 8000'001Eh). Each level is a number of low bits of the APIC id: cores whose
// ids differ in these bits only share the level. Cores of one machine may answer differently (hybrid processors), so
// each core asks for itself.
#pragma once

#include <cstdint>

#include "arch/cpuid/cpuid.hpp"
#include "base/core_levels.hpp"

namespace mxk::arch {

// `ask`: answers as the core whose levels are wanted. What it does not say stays unknown.
CoreLevels read_levels(AskCpuid ask);

// Of the calling core.
CoreLevels levels_of_this_core();

} // namespace mxk::arch
