#pragma once

#include "base/physical_reader.hpp"
#include "base/range_set.hpp"
#include "boot/boot_info.hpp"

namespace mxk {

// The kernel from its first moment in its own address space; never returns. `ram`: all of it; `free`: what nobody has
// yet. The boot core.
[[noreturn]] void kernel_main(boot::BootInfo const& boot, RangeSet const& ram, RangeSet& free, PhysicalReader& memory);

} // namespace mxk
