// What arch/machine.hpp cannot know by itself: how this machine is reset, and how it is switched off. Firmware's fixed
// tables say it; main/metal/fixed_hardware hands it over.
#pragma once

#include <cstdint>

namespace mxk::arch {

struct ResetRegister { // ACPI 6.5 section 4.8.3.6
    enum class Space : std::uint8_t { None, Memory, Port };
    Space space = Space::None;
    std::uint64_t address = 0;
    std::uint8_t value = 0;
};

// `has_keyboard_controller`: whether the old way, through the 8042, may be tried when the register does nothing.
// A register that cannot be where it is said to be is a WARN, and not used. The boot core.
void set_reset_means(ResetRegister const& target, bool has_keyboard_controller);

// The sleep state S5 (ACPI 6.5 sections 4.8.3.2.1 and 7.4.2): a control register of 16 bits, or two of them, and what
// to write there.
struct PowerSwitch {
    std::uint16_t control_port = 0;        // 0: not known how
    std::uint16_t second_control_port = 0; // 0: there is none
    std::uint8_t sleep_type = 0;           // 3 bits
    std::uint8_t second_sleep_type = 0;
    std::uint16_t enable_port = 0; // firmware hands the registers over when this port is written; 0: it has done so
    std::uint8_t enable_value = 0;
};

void set_power_off_means(PowerSwitch const& target);

// Whether anybody said how.
bool can_power_off();
// Comes back when the machine does not obey, after a second or so. With interrupts off, when the other cores have
// stopped. Any core.
void try_power_off();

} // namespace mxk::arch
