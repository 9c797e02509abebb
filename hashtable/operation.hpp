// What can be done to a table, for every layout, every model and every benchmark.
#pragma once

#include <cstdint>

namespace mxk {

enum class Operation : std::uint8_t { Insert, Find, Erase };

} // namespace mxk
