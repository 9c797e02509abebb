// Capstone's names of registers as numbers of Registers (model/instruction.hpp).
#pragma once

#include <cstdint>
#include <optional>

#include "tools/simulator/model/instruction.hpp"

namespace mxk::simulator {

struct RegisterPart {
    unsigned number; // of the whole register
    unsigned bytes;  // of the part that is named
};

/// Nothing for what no instruction waits for: segments, control registers, the instruction pointer.
std::optional<RegisterPart> register_part(unsigned capstone_register);

/// The same as a set.
Registers register_set(unsigned capstone_register);

} // namespace mxk::simulator
