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
void set_reset_register(ResetRegister const& target);

} // namespace mxk::arch
