// The processor as the portable rooms see it.
#pragma once

#include <cstdint>

#include "base/units.hpp"

namespace mxk::arch {

// RDTSC (SDM vol. 2B): not serialising; neighbours may move across it by some tens of cycles.
inline Cycles timestamp() {
    return static_cast<Cycles>(__builtin_ia32_rdtsc());
}
// Later than any time stamp.
inline constexpr Cycles never{UINT64_MAX};

// Ticks per second: found out at start. Where nothing tells (a WARN says so) it is not known, and this is more than any
// processor's: for waits, which then are too long, but not for what is measured.
std::uint64_t timestamp_frequency();
bool timestamp_frequency_is_known();

inline void pause() {
    __builtin_ia32_pause();
}

// Whether the processor has AVX2, BMI1, BMI2, LZCNT and POPCNT, and the system below lets programs use them (SDM vol. 1
// section 14.3): then a function compiled for them, by MXK_WITH_AVX2 (base/vectors.hpp), may be called. Any core.
bool has_avx2();

// How often the system below has taken the calling core away to do something else, as far as it tells: never on metal,
// where nothing is below, or a hypervisor that does not say. Any core.
std::uint64_t interruptions_by_host();

} // namespace mxk::arch
