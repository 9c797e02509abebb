// Which core a device interrupts, by what ACPI's MADT says of I/O APICs and of overridden ISA interrupts.
#pragma once

#include "arch/x86_64/apic/apic.hpp"
#include "base/arena.hpp"
#include "base/units.hpp"
#include "kernel/acpi/madt.hpp"

namespace mxk::metal {

// Leaves out I/O APICs that the MADT puts where no device can be, each with a warning, and masks all pins of the
// others. Before interrupts are on. The boot core.
void close_io_apics(acpi::InterruptModel& model, Arena& arena);

// Inputs of I/O APICs that the MADT wants to bring an NMI do so from now on, to this core. One that no I/O APIC has, or
// that cannot reach the core, is a WARN. The boot core.
void connect_nmi_sources(acpi::InterruptModel const& model, ApicId core);

// The serial line's interrupt goes to this core from now on. False, with a word why, where it cannot: then the line is
// to be polled. The boot core.
bool connect_terminal(acpi::InterruptModel const& model, ApicId core);

// The same for a PS/2 keyboard, if its controller answers; where firmware says that there is none, not to be called.
void connect_keyboard(acpi::InterruptModel const& model, ApicId core);

// Which inputs of the local APIC of the processor with this UID bring the NMI.
arch::apic::LocalInputs wired_inputs(acpi::InterruptModel const& model, std::uint32_t acpi_uid);

} // namespace mxk::metal
