// What CPUID says of a processor's TLBs: leaf 18h, else the descriptors of leaf 2 (SDM vol. 2A, CPUID), else leaves
// 8000'0005h, 8000'0006h and 8000'0019h (AMD APM vol. 3).
#pragma once

#include "arch/cpuid/cpuid.hpp"
#include "arch/processor.hpp"

namespace mxk::arch {

// As the processor lists them; empty: it does not tell.
TranslationCaches read_translation_caches(AskCpuid ask);

} // namespace mxk::arch
