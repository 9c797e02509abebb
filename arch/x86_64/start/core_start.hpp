// What start.cpp needs of core_start.cpp; everybody else uses arch/cores.hpp.
#pragma once

#include "arch/x86_64/exceptions/interrupts.hpp"
#include "base/range_set.hpp"

namespace mxk::arch {

// GDT, TSS, IDT and %gs of the boot core, from static memory: the first thing, so that faults are reported.
void load_boot_core();

// A page below 1 MiB that is RAM and nobody else's. While the boot page tables are on.
void set_trampoline_page(MemoryRange page);

} // namespace mxk::arch
