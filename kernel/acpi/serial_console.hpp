// The serial port console redirection table (Microsoft, SPCR revision 4): the line on which firmware has its own
// console, which is where a management controller listens.
#pragma once

#include <cstdint>
#include <optional>

#include "base/units.hpp"
#include "kernel/acpi/tables.hpp"

namespace mxk::acpi {

struct SerialConsole {
    std::optional<std::uint16_t> port; // of a 16550; none: its registers are in memory
    PhysicalAddress memory{};          // where, if so
    std::uint8_t access_bytes = 1;     // of a register there: 1, 2 or 4
    std::uint8_t stride_bytes = 1;     // from one to the next
    std::optional<std::uint8_t> irq;   // of the ISA bus
    std::optional<std::uint32_t> baud; // none: what it is set to
};

// Nothing without an SPCR, or where it says that firmware has no console. A UART that is no 16550, and one that is
// neither at a port nor in memory, is one WARN and nothing. Boot core; does not block.
std::optional<SerialConsole> serial_console(Tables const& tables);

} // namespace mxk::acpi
