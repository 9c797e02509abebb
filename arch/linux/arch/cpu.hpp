// The processor as the portable rooms see it.
#pragma once

#include <x86intrin.h>

#include "base/units.hpp"

namespace mxk::arch {

inline Cycles timestamp() {
    return static_cast<Cycles>(__rdtsc());
}
// Ticks per second: found out at start; 1 GHz is assumed (with a warning) where nothing tells.
std::uint64_t timestamp_frequency();

inline void pause() {
    __builtin_ia32_pause();
}

} // namespace mxk::arch
