// The DMA remapping table (Intel VT-d specification 4.1, section 8.1), of which one flag matters here.
#pragma once

#include "kernel/acpi/tables.hpp"

namespace mxk::acpi {

// Whether the firmware asks systems to leave the local APICs in xAPIC mode, for it cannot do with the other. False
// without a DMAR. Boot core; does not block.
bool opts_out_of_x2apic(Tables const& tables);

} // namespace mxk::acpi
