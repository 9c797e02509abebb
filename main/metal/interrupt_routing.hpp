// Which core a device interrupts, by what ACPI's MADT says of I/O APICs and of overridden ISA interrupts.
#pragma once

#include "base/units.hpp"
#include "kernel/acpi/madt.hpp"

namespace mxk::metal {

// The serial line's interrupt goes to this core from now on. A warning where no I/O APIC has it. The boot core.
void connect_terminal(acpi::InterruptModel const& model, ApicId core);

// The same for a PS/2 keyboard, if its controller answers; where firmware says that there is none, not to be called.
void connect_keyboard(acpi::InterruptModel const& model, ApicId core);

} // namespace mxk::metal
