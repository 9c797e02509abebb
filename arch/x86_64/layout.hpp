// The virtual address space, upper half only:
//
//   ffff800000000000  direct map: all RAM, and device registers (uncached) where they are needed
//   ffffc00000000000  stacks: each behind a guard page that is never mapped
//   ffffffff80000000  the kernel image at its physical address
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/units.hpp"

namespace mxk::arch {

constexpr std::uint64_t direct_map_base = 0xffff'8000'0000'0000;
constexpr std::uint64_t stacks_base = 0xffff'c000'0000'0000;
constexpr std::uint64_t kernel_base = 0xffff'ffff'8000'0000;

constexpr std::uint64_t page_bytes = 4 * KiB;

// What the boot page tables map (boot/entry.asm), and so where the first page tables and stacks must lie.
constexpr std::uint64_t boot_mapped_bytes = 4 * GiB;

inline std::byte* to_virtual(PhysicalAddress address) {
    return reinterpret_cast<std::byte*>(direct_map_base + raw(address)); // NOLINT(performance-no-int-to-ptr)
}
inline PhysicalAddress to_physical(void const* direct_mapped) {
    return static_cast<PhysicalAddress>(reinterpret_cast<std::uint64_t>(direct_mapped) - direct_map_base);
}

} // namespace mxk::arch
