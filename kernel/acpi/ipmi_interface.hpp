// Where firmware says that the management controller (BMC) listens to the processors: ACPI's SPMI table (IPMI 2.0
// appendix C3.2), or SMBIOS' structure of type 38 (SMBIOS 3.6 section 7.39).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/physical_reader.hpp"
#include "base/units.hpp"
#include "kernel/acpi/tables.hpp"

namespace mxk::acpi {

struct IpmiInterface {
    enum class Kind : std::uint8_t { Kcs = 1, Smic = 2, Bt = 3, Ssif = 4 };

    Kind kind = Kind::Kcs;
    bool in_memory = false;    // else at ports
    std::uint64_t address = 0; // of the first register
    std::uint8_t spacing = 1;  // bytes from one register to the next

    bool operator==(IpmiInterface const&) const = default;
};

// Nothing without an SPMI. One that cannot be read, or of another kind, is one WARN and nothing. Boot core; does not
// block.
std::optional<IpmiInterface> ipmi_interface(Tables const& tables);

// The same from SMBIOS' structures, whose entry point stands in the BIOS' memory; on a UEFI machine it is not looked
// for. Nothing where there are none, or none of type 38. Never warns: what is broken is as if it were not there.
std::optional<IpmiInterface> ipmi_interface_of_smbios(PhysicalReader& memory);

// Of the structures themselves: for tests.
std::optional<IpmiInterface> ipmi_interface_in(std::span<std::byte const> structures);

} // namespace mxk::acpi
