// How a command ended.
#pragma once

#include <cstdint>

namespace mxk::console {

enum class Outcome : std::uint8_t { Ok, Failed };

} // namespace mxk::console
