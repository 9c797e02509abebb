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

// What the system below has done with the thread that is the calling core. On metal: nothing ever.
struct HostAccount {
    std::uint64_t interruptions = 0; // how often it took the processor away, stopped the program, or provided a page
    Cycles ran{};                    // for how long it ran, in time stamps: what a hypervisor takes shows only here
};
// Any core.
HostAccount host_account();
// Whether the core was taken away in a piece of time of that length, which began after `before` and has ended.
inline bool was_taken_away(HostAccount const& before, HostAccount const& now, Cycles length) {
    return now.interruptions != before.interruptions || raw(now.ran) - raw(before.ran) < raw(length) / 2;
}

} // namespace mxk::arch
