// What the FADT (ACPI 6.5 section 5.2.9) and the HPET table (IA-PC HPET 1.0a section 3.2.4) say about hardware that has
// no other way to be found: clocks to calibrate against, the register that resets the machine, legacy devices. Only
// says where they are; drives none of them. All functions: any core; do not block.
#pragma once

#include <cstdint>
#include <optional>

#include "base/units.hpp"
#include "kernel/acpi/tables.hpp"

namespace mxk::acpi {

struct Clocks {
    std::optional<std::uint16_t> pm_timer_port; // 3.579545 MHz, free-running
    bool pm_timer_32_bit = false;               // else it wraps at 24 bits
    std::optional<PhysicalAddress> hpet;        // its register block
};

Clocks clocks(Tables const& tables);

struct ResetRegister {
    enum class Space : std::uint8_t { Memory = 0, Io = 1, PciConfiguration = 2 };

    Space space;
    std::uint64_t address; // PCI: bits 32-47 device, 16-31 function, 0-15 offset, on bus 0
    std::uint8_t value;    // to be written there
};

std::optional<ResetRegister> reset_register(Tables const& tables);

struct LegacyDevices {
    bool keyboard_controller = true; // the 8042, which can reset the machine
    bool cmos_clock = true;
};

// All present where the firmware does not say: before revision 3 of the FADT, or without one.
LegacyDevices legacy_devices(Tables const& tables);

} // namespace mxk::acpi
