// The CPUID instruction (SDM vol. 2A), which a program of Linux may use as well as the kernel. What reads it takes it
// as a function, so that tests can answer as any processor.
#pragma once

#include <cstdint>

namespace mxk::arch {

struct CpuidResult {
    std::uint32_t eax, ebx, ecx, edx;
};
inline CpuidResult cpuid(std::uint32_t leaf, std::uint32_t subleaf = 0) {
    CpuidResult result{};
    asm volatile("cpuid"
                 : "=a"(result.eax), "=b"(result.ebx), "=c"(result.ecx), "=d"(result.edx)
                 : "a"(leaf), "c"(subleaf));
    return result;
}

using AskCpuid = CpuidResult (*)(std::uint32_t leaf, std::uint32_t subleaf);

} // namespace mxk::arch
