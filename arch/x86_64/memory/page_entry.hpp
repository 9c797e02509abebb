// An entry of a page table, of any level (SDM vol. 3A table 4-14 and following).
#pragma once

#include <cstdint>

#include "arch/x86_64/cpu/cpu_features.hpp"

namespace mxk::arch::page_entry {

constexpr std::uint64_t present = 1 << 0;
constexpr std::uint64_t writable = 1 << 1;
constexpr std::uint64_t write_through = 1 << 3;
constexpr std::uint64_t cache_disable = 1 << 4;
constexpr std::uint64_t large = 1 << 7; // in levels 2 and 3
constexpr std::uint64_t global = 1 << 8;
constexpr std::uint64_t no_execute = std::uint64_t{1} << 63;
constexpr std::uint64_t address_mask = 0x000f'ffff'ffff'f000;

// The bit for it, where the processor has one.
inline std::uint64_t never_executed() {
    return features().no_execute ? no_execute : 0;
}

} // namespace mxk::arch::page_entry
