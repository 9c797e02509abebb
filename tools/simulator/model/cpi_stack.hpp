// Where a core's time went: each part of it is blamed on what the oldest instruction that was not yet done waited for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tools/simulator/model/memory_access.hpp"
#include "tools/simulator/model/time.hpp"

namespace mxk::simulator {

enum class Cause : std::uint8_t {
    Base, // dispatch, computation, and hits of the first level
    Branch,
    L1, // hits of the first level that somebody waited for
    L2,
    L3,
    OtherCore,
    LocalMemory,
    RemoteMemory,
    Tlb,
    Synchronisation, // locked instructions, fences, pauses, interrupts
    Idle,
};
constexpr std::size_t cause_count = 11;
constexpr std::array<std::string_view, cause_count> cause_names = {
    "base", "branch",          "l1",  "l2", "l3", "other_core", "local_memory", "remote_memory",
    "tlb",  "synchronisation", "idle"};

constexpr Cause cause_of(Source source) {
    return static_cast<Cause>(static_cast<unsigned>(Cause::L1) + static_cast<unsigned>(source));
}

struct CpiStack {
    std::array<Time, cause_count> time{};

    Time& operator[](Cause cause) { return time[static_cast<std::size_t>(cause)]; }
    Time operator[](Cause cause) const { return time[static_cast<std::size_t>(cause)]; }

    Time total() const {
        Time sum = 0;
        for (Time const one : time) sum += one;
        return sum;
    }
};

} // namespace mxk::simulator
