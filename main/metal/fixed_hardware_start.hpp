// What ACPI's fixed tables say of clocks and of the reset, handed to the platform.
#pragma once

#include "base/physical_reader.hpp"
#include "kernel/acpi/tables.hpp"

namespace mxk::metal {

// Finds the frequencies of the time-stamp counter and of the local timer, against the clocks that the tables name.
// With interrupts on, after the local APIC. The boot core.
void start_clocks(acpi::Tables const& tables);

// How `reboot` resets this machine.
void remember_reset(acpi::Tables const& tables);

// How it is switched off, where the tables say it in a way that is understood. `memory`: where the tables lie.
void remember_power_off(acpi::Tables const& tables, PhysicalReader& memory);

} // namespace mxk::metal
