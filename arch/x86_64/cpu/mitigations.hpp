// What the processor's microcode is, and which controls of speculation the firmware has left on: both change what is
// measured, and the kernel, which runs nothing that it does not trust, switches none of them on or off. Pure but for
// the registers: tested on the host with made-up processors.
//   Microcode: IA32_BIOS_SIGN_ID (SDM vol. 3A section 9.11.7.1); AMD's patch level (APM vol. 2 appendix A, MSR 8Bh).
//   Controls: IA32_SPEC_CTRL; what the processor needs none for: IA32_ARCH_CAPABILITIES (SDM vol. 4 table 2-2).
#pragma once

#include <cstdint>
#include <optional>

#include "arch/x86_64/cpu/counter_registers.hpp"
#include "arch/x86_64/cpu/cpuid_levels.hpp"
#include "base/text.hpp"

namespace mxk::arch {

namespace msr {
constexpr std::uint32_t spec_ctrl = 0x48;
constexpr std::uint32_t microcode = 0x8b;
constexpr std::uint32_t arch_capabilities = 0x10a;
} // namespace msr

struct Mitigations {
    std::optional<std::uint32_t> microcode{}; // revision
    std::uint64_t offered = 0;                // bits of IA32_SPEC_CTRL that the processor has
    std::uint64_t on = 0;                     // of them
    std::uint64_t capabilities = 0;           // IA32_ARCH_CAPABILITIES
};

// `ask` and `read`: as the calling core. An Intel processor shows its revision once CPUID has run with the register at
// 0, which is the caller's to do.
Mitigations read_mitigations(AskCpuid ask, ReadMsr read);

// "IBRS on, STIBP off; not affected by RDCL, MDS", "no controls".
void print_mitigations(TextSink& out, Mitigations const& mitigations);

} // namespace mxk::arch
