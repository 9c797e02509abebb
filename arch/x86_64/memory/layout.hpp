// The virtual address space. The kernel's own is the upper half; all other address spaces have that, too, and the
// window.
//
//   0000400000000000  window: pages of the active address space (arch/translations.hpp)
//   ffff800000000000  direct map: all RAM, and device registers (uncached) where they are needed
//   ffffc00000000000  stacks: each behind a guard page that is never mapped
//   ffffd00000000000  RAM once more, by pages of 4 KiB, where that is asked for (page_view.cpp)
//   ffffe00000000000  the same by pages of 2 MiB
//   ffffffff80000000  the kernel image at its physical address
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/units.hpp"

namespace mxk::arch {

constexpr std::uint64_t direct_map_base = 0xffff'8000'0000'0000;
constexpr std::uint64_t direct_map_bytes = 64 * 1024 * GiB; // what lies above that in physical memory is not mapped
constexpr std::uint64_t stacks_base = 0xffff'c000'0000'0000;
constexpr std::uint64_t four_kibibyte_view_base = 0xffff'd000'0000'0000;
constexpr std::uint64_t two_mebibyte_view_base = 0xffff'e000'0000'0000;
constexpr std::uint64_t view_bytes = std::uint64_t{1} << 44; // room for each of the two
constexpr std::uint64_t kernel_base = 0xffff'ffff'8000'0000;

static_assert(direct_map_base + direct_map_bytes == stacks_base);

constexpr std::uint64_t page_bytes = 4 * KiB;

// As much of the direct map the boot page tables have room for (boot_tables.hpp), and so there the first page tables
// must lie, and what the loader left.
constexpr std::uint64_t boot_mapped_bytes = 4 * GiB;

inline std::byte* to_virtual(PhysicalAddress address) {
    return reinterpret_cast<std::byte*>(direct_map_base + raw(address)); // NOLINT(performance-no-int-to-ptr)
}
inline PhysicalAddress to_physical(void const* direct_mapped) {
    return static_cast<PhysicalAddress>(reinterpret_cast<std::uint64_t>(direct_mapped) - direct_map_base);
}

} // namespace mxk::arch
