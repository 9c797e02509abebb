// What a core counts by itself and what a measurement does not see: system management interrupts, the frequency that it
// really ran at, and that it was slowed down. Reading takes a microsecond, so it is done before and after a run, never
// in one. Nothing on Linux, where a program may not read these registers, and of what a processor does not have.
#pragma once

#include <cstdint>
#include <optional>

#include "base/units.hpp"

namespace mxk::arch {

// What slowed a core down. A set of these is a mask of bits.
enum class Throttling : std::uint32_t {
    Thermal = 1 << 0,      // too hot
    External = 1 << 1,     // the board said so (PROCHOT#)
    Critical = 1 << 2,     // so hot that the machine is about to be switched off
    PowerLimit = 1 << 3,   // of the package
    CurrentLimit = 1 << 4, // electrical
    OtherDomain = 1 << 5,  // a limit of the graphics unit or of other cores
};

constexpr std::uint32_t bit_of(Throttling what) {
    return static_cast<std::uint32_t>(what);
}

struct CoreCounters {
    std::optional<std::uint64_t> smis{};      // since reset
    std::optional<std::uint64_t> actual{};    // cycles while it was not halted, at the frequency that it really had
    std::uint64_t reference = 0;              // the same at the frequency of the time-stamp counter; with `actual` only
    std::optional<std::uint32_t> throttled{}; // Throttling bits since forget_throttling(), or now
};

// Whether the machine's cores count any of it; else nobody has to ask them. The same on all cores. Any core.
bool has_core_counters();
// Of the calling core. Does not block.
CoreCounters read_core_counters();
void forget_throttling();

// For machines that do not count system management interrupts: the maximum of the time for which the calling core did
// not get to read its time-stamp counter, of `duration`, during which it does nothing else. Nothing where they are
// counted, and under a hypervisor or a system, which take cores away themselves. A task; interrupts wait meanwhile.
std::optional<Nanoseconds> max_gap(Nanoseconds duration);

} // namespace mxk::arch
