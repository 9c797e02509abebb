// How long classes of instructions compute, in cycles from operands to result: about what Intel's cores of the last ten
// years take (Agner Fog's instruction tables). A load's own time is the cache's.
#pragma once

#include <cstdint>

#include "tools/simulator/model/instruction.hpp"

namespace mxk::simulator {

/// capstone_instruction: its id. vector: it writes a vector register, or reads no other one.
std::uint16_t latency_cycles(unsigned capstone_instruction, bool vector);

/// What is special of it, but for prefixes and memory operands: Plain, if nothing is.
Class class_of(unsigned capstone_instruction);

} // namespace mxk::simulator
