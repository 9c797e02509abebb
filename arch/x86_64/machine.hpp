// What arch/machine.hpp cannot know by itself: how this machine is reset.
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
void set_reset_means(ResetRegister const& target, bool has_keyboard_controller);

} // namespace mxk::arch
