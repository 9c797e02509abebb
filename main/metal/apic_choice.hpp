// In which mode the local APICs are.
#pragma once

#include <string_view>

#include "kernel/acpi/madt.hpp"
#include "kernel/acpi/tables.hpp"

namespace mxk::metal {

// `word`: what `apic=` on the command line says: x2apic, xapic, or auto, as without the option: x2APIC where the
// processor has it, unless firmware asks for xAPIC (DMAR). What cannot be is a WARN, and auto, as any other word is.
// The boot core, before its APIC is enabled.
void choose_apic(std::string_view word, acpi::Tables const& tables, acpi::InterruptModel const& interrupts);

} // namespace mxk::metal
