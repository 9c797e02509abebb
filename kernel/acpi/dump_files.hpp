// The tables of another machine, from the files in which people keep them: a directory as Linux has one in
// /sys/firmware/acpi/tables or as `acpidump -b` and acpixtract write it, or the text of acpidump.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "base/arena.hpp"
#include "base/result.hpp"
#include "kernel/acpi/tables.hpp"

namespace mxk::acpi {

// What the topology is made from. Other tables are not read.
constexpr std::array<std::string_view, 4> topology_tables{"APIC", "SRAT", "SLIT", "HMAT"};

// Whether a file of this name holds one of them: the signature in either case; a number, if the machine has several;
// ".dat", ".bin" or ".aml", or nothing.
bool is_table_file(std::string_view name);

// `path`: a directory with such files (of several with one signature those with the lower number come first; none
// counts as 0), else with one text of acpidump (acpidump*, else *.txt); or such a text itself. What the tables hold is
// not checked here. An error says why there are no tables: nothing there, not readable, not a dump. Any core; waits for
// the file system.
Result<std::span<TableImage const>> read_dump(std::string_view path, Arena& arena);

} // namespace mxk::acpi
