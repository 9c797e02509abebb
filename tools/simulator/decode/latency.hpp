// How long classes of instructions compute, in cycles from operands to result: about what Intel's cores of the last ten
// years take (Agner Fog's instruction tables). A load's own time is the cache's.
#pragma once

#include <cstdint>

namespace mxk::simulator {

/// capstone_instruction: its id. vector: it writes a vector register, or reads no other one.
std::uint16_t latency_cycles(unsigned capstone_instruction, bool vector);

} // namespace mxk::simulator
