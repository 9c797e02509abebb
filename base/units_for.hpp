// How many units hold so much, for any number: what is added to round up does not wrap around.
#pragma once

#include <cstdint>

namespace mxk {

// `unit` > 0.
constexpr std::uint64_t units_for(std::uint64_t value, std::uint64_t unit) {
    return value / unit + (value % unit != 0 ? 1 : 0);
}

} // namespace mxk
