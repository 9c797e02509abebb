// What ACPI's fixed tables say of clocks and of the reset, handed to the platform.
#pragma once

#include "kernel/acpi/tables.hpp"

namespace mxk::metal {

// Finds the frequencies of the time-stamp counter and of the local timer, against the clocks that the tables name.
// With interrupts on, after the local APIC. The boot core.
void start_clocks(acpi::Tables const& tables);

// How `reset` resets this machine.
void remember_reset(acpi::Tables const& tables);

} // namespace mxk::metal
