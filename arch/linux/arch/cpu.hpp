// The processor as the portable rooms see it.
#pragma once

#include <x86intrin.h>

#include <cstdint>

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

// How often the system below has taken the calling core away to do something else, as far as it tells. Any core.
std::uint64_t interruptions_by_host();

} // namespace mxk::arch
