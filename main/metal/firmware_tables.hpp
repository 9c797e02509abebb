// The firmware's ACPI tables: the loader says where they are, or else they are looked for in memory. Or, for tests,
// those that a module holds (acpi-image=NAME on the kernel's command line: kernel/acpi/memory_image.hpp).
#pragma once

#include "base/arena.hpp"
#include "base/physical_reader.hpp"
#include "boot/boot_info.hpp"
#include "kernel/acpi/tables.hpp"

namespace mxk::metal {

// Empty, with a warning, where there are none or none that can be read: the machine then is one core on one node.
acpi::Tables open_tables(boot::BootInfo const& boot, PhysicalReader& memory, Arena& arena);

} // namespace mxk::metal
