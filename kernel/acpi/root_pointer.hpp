// The root system description pointer (ACPI 6.5 section 5.2.5.3): where the list of all tables stands. The boot
// protocol hands over a copy; the scan of memory is the last resort and works on legacy BIOS only.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "base/physical_reader.hpp"
#include "base/result.hpp"
#include "base/units.hpp"
#include "kernel/acpi/warning_sink.hpp"

namespace mxk::acpi {

struct RootPointer {
    std::optional<PhysicalAddress> rsdt;
    std::optional<PhysicalAddress> xsdt; // of a valid pointer of revision 2 or higher; of an older one without an RSDT
};

// Reads the pointer from `rsdp` (20 bytes, 36 from revision 2 on; more is ignored). An error says what is wrong with
// the first 20 bytes; if only the extension is unusable, that is one WARN and the RSDT remains.
Result<RootPointer> parse_root_pointer(std::span<std::byte const> rsdp, WarningSink& warnings = log_warnings());

// The first valid pointer at a 16-byte step of [start, start + bytes), or an empty span. The legacy places are the
// first KiB of the extended BIOS data area and 0xe0000-0xfffff.
std::span<std::byte const> scan_for_root_pointer(PhysicalReader& reader, PhysicalAddress start, std::size_t bytes);

} // namespace mxk::acpi
