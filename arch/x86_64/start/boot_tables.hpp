// The page tables that the boot core starts on (boot/entry.asm). They map the image; of the first 4 GiB of RAM only
// what is asked for here, and nothing that is both writable and executable. Once the kernel's own tables are on, the
// other cores take their first steps on them (trampoline.asm).
#pragma once

#include <cstdint>

#include "base/range_set.hpp"

// entry.asm. A physical address; the boot page tables map it at kernel_base, too.
extern "C" std::uint64_t boot_page_table[];

namespace mxk::arch::boot_tables {

enum class Use : std::uint8_t { Read, Write };

// Into the direct map, by whole 2 MiB; nothing in it can be executed. False where it passes 4 GiB. The boot core, as
// all below, until it leaves these tables.
bool map(MemoryRange range, Use use);

// A page below 1 MiB, to be executed where it lies, not to be written there.
void map_trampoline(MemoryRange page);

// The direct map ends: what other cores need is the image and the trampoline. The next thing must be other tables.
void forget_direct_map();

} // namespace mxk::arch::boot_tables
