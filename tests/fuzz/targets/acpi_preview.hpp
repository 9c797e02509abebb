// The machine's tables looked at from another one: as images, and as the text that acpidump makes of them.
#pragma once

#include "base/arena.hpp"
#include "tests/fuzz/targets/acpi_machine.hpp"

namespace mxk::fuzz {

// The preview is sound and is what the kernel brings up; text made of the tables is read back as these; text of any
// other kind is an error or a machine.
void expect_preview(AcpiMachine& machine, Arena& arena);

} // namespace mxk::fuzz
