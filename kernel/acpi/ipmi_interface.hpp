// Where firmware says that the management controller (BMC) listens to the processors: ACPI's SPMI table (IPMI 2.0
// appendix C3.2), or SMBIOS' structure of type 38 (SMBIOS 3.6 section 7.39).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

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

// The same of SMBIOS' structures (smbios.hpp). Nothing where none is of type 38; never warns.
std::optional<IpmiInterface> ipmi_interface_in(std::span<std::byte const> structures);

} // namespace mxk::acpi
