// Who made a processor, and which one it is.
#pragma once

#include "arch/cpuid/cpuid.hpp"

namespace mxk::arch {

struct Signature { // SDM vol. 2A, CPUID leaf 1, and AMD APM vol. 3: a family of 15 goes on in the extended one
    unsigned family;
    unsigned model;
};
constexpr Signature signature_of(std::uint32_t leaf1_eax) {
    unsigned const family = leaf1_eax >> 8 & 0xf;
    unsigned const extended = leaf1_eax >> 20 & 0xff;
    unsigned const model = (leaf1_eax >> 4 & 0xf) | (family >= 6 ? leaf1_eax >> 12 & 0xf0 : 0);
    return {family == 15 ? family + extended : family, model};
}

constexpr bool is_intel(CpuidResult const& leaf0) {
    return leaf0.ebx == 0x756e'6547; // "Genu"
}
// Hygon's are AMD's.
constexpr bool is_amd(CpuidResult const& leaf0) {
    return leaf0.ebx == 0x6874'7541 || leaf0.ebx == 0x6f67'7948; // "Auth", "Hygo"
}

} // namespace mxk::arch
