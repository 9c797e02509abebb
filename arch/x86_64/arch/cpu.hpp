// The processor as the portable rooms see it.
#pragma once

#include "base/units.hpp"

namespace mxk::arch {

// RDTSC (SDM vol. 2B): not serialising; neighbours may move across it by some tens of cycles.
inline Cycles timestamp() {
    return static_cast<Cycles>(__builtin_ia32_rdtsc());
}
// Ticks per second: found out at start; 1 GHz is assumed (with a warning) where nothing tells.
std::uint64_t timestamp_frequency();

inline void pause() {
    __builtin_ia32_pause();
}

} // namespace mxk::arch
