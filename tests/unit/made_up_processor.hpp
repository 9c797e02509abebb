// A processor that a test makes up: what CPUID answers, and which registers it has.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "arch/cpuid/cpuid.hpp"

namespace mxk::test {

// Vendors as CPUID has them: the first four characters are in EBX of leaf 0.
constexpr std::uint32_t genuine_intel = 0x756e'6547;
constexpr std::uint32_t authentic_amd = 0x6874'7541;

inline std::map<std::uint32_t, arch::CpuidResult> made_up_leaves; // those that are not in it are 0
inline std::map<std::uint32_t, std::uint64_t> made_up_registers;  // those that are not in it fault

inline arch::CpuidResult ask_made_up(std::uint32_t leaf, std::uint32_t /*subleaf*/) {
    auto const found = made_up_leaves.find(leaf);
    return found == made_up_leaves.end() ? arch::CpuidResult{} : found->second;
}
inline std::optional<std::uint64_t> read_made_up(std::uint32_t number) {
    auto const found = made_up_registers.find(number);
    return found == made_up_registers.end() ? std::nullopt : std::optional(found->second);
}
inline bool write_made_up(std::uint32_t number, std::uint64_t value) {
    auto const found = made_up_registers.find(number);
    if (found != made_up_registers.end()) found->second = value;
    return found != made_up_registers.end();
}

} // namespace mxk::test
