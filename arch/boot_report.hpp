// How the kernel was started, for people. On Linux there is no loader and no map of the firmware's that a program may
// see.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/range_set.hpp"

namespace mxk::arch {

struct BootReport {
    std::string_view loader; // empty: the system below started it
    std::string_view command_line;
};
// Any core, once the kernel runs. The texts stay.
BootReport boot_report();

// The firmware's map of memory as the loader hands it on: types are those of the E820 map (ACPI 6.5,
// "System Address Map Interfaces").
struct FirmwareRange {
    MemoryRange range;
    std::uint32_t type;
};
// Any core. No entry on Linux. `i` below the count.
std::size_t firmware_range_count();
FirmwareRange firmware_range(std::size_t i);

} // namespace mxk::arch
