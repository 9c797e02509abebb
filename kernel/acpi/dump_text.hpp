// The text that acpidump writes (ACPICA's, and pmtools' before it), turned back into tables:
//
//     APIC @ 0x00000000BFFE0390
//         0000: 41 50 49 43 90 00 00 00 01 77 42 4F 43 48 53 20  APIC.....wBOCHS
//
// A header line; then lines of offset and up to 16 bytes, and what these look like as characters, which is not read.
// Indentation, digits in the address, CR LF and blank lines vary between versions and do not matter.
#pragma once

#include <span>
#include <string_view>

#include "base/arena.hpp"
#include "base/result.hpp"
#include "kernel/acpi/tables.hpp"

namespace mxk::acpi {

// The tables whose signature is one of `wanted`, in the text's order; what they hold is not checked here. The lines of
// others are not read, nor is text before the first table or behind a blank line. An error names the line that is none
// of a dump, or says that there is no dump. Any core; does not block.
Result<std::span<TableImage const>> parse_dump_text(std::string_view text, std::span<std::string_view const> wanted,
                                                    Arena& arena);

} // namespace mxk::acpi
