// Which serial line the console is on.
#pragma once

#include "kernel/acpi/tables.hpp"

namespace mxk::metal {

// Goes on at the line that firmware has its own console on (SPCR), if that is another than the one in use or has
// another rate; says so on both. A line that does not answer, or whose registers cannot be where it says, is a WARN and
// is not used. Not to be called where the command line names a line. Boot core, before interrupts are on.
void follow_firmware_console(acpi::Tables const& tables);

} // namespace mxk::metal
