// Where SMBIOS' structures are (SMBIOS 3.6 section 5.2): on a BIOS machine the entry point stands in the BIOS' memory,
// on a UEFI machine in a table of the EFI system table (UEFI 2.10 sections 4.3 and 4.6).
#pragma once

#include <cstddef>
#include <span>

#include "base/physical_reader.hpp"
#include "base/units.hpp"

namespace mxk::acpi {

// `efi_system_table`: where it is, as the loader says; 0: this is no UEFI machine. Nothing where there are none; what
// is broken is as if it were not there; an address that cannot be read is a WARN. Boot core; does not block.
std::span<std::byte const> smbios_structures(PhysicalReader& memory, PhysicalAddress efi_system_table);

} // namespace mxk::acpi
