// How a machine is switched off: the registers from the FADT (ACPI 6.5 sections 5.2.9 and 4.8.3.2.1), and what is to be
// written there from the package \_S5 of the DSDT (section 7.4.2). That package is AML; it is looked for by its bytes
// (sections 20.2.2 to 20.2.5), and nothing else of AML is read. Any core; does not block.
#pragma once

#include <cstdint>
#include <optional>

#include "base/physical_reader.hpp"
#include "kernel/acpi/tables.hpp"

namespace mxk::acpi {

struct PowerOff {
    std::uint16_t control_port;        // PM1a control
    std::uint16_t second_control_port; // PM1b control; 0: there is none
    std::uint8_t sleep_type;           // for the one, 3 bits
    std::uint8_t second_sleep_type;    // for the other
    std::uint16_t enable_port;         // where `enable_value` makes firmware hand the registers over; 0: nowhere
    std::uint8_t enable_value;
};

// Nothing where the tables do not say it, say it wrongly, or name registers that are no I/O ports (as machines with
// reduced hardware do).
std::optional<PowerOff> power_off(Tables const& tables, PhysicalReader& memory);

} // namespace mxk::acpi
