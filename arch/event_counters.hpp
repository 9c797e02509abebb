// What a processor and the system count while a core works: cycles, instructions, misses. Between two readings of the
// same core, or of the same thread of Linux. On Linux by perf_event_open(2), of the program alone; on the bare machine
// by the processor's own counters, of everything on the core.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/result.hpp"

namespace mxk::arch {

enum class Event : std::uint8_t {
    Cycles, // while the core was not halted
    Instructions,
    L2Misses,
    L3Misses,
    RemoteLines, // that came from another node's memory or caches
    BranchMisses,
    PageFaults, // this and what follows: of Linux
    Switches,   // to another thread
    Migrations, // to another processor
};
inline constexpr std::size_t events = 9;
inline constexpr std::size_t hardware_events = 6; // the first ones

struct EventReading {
    std::array<std::uint64_t, events> counts{};
    // Of Linux, which lets events that are more than the processor's counters take turns: nanoseconds.
    std::array<std::uint64_t, events> wanted{};
    std::array<std::uint64_t, events> counted{};
};

// Those that are not counted are not there.
using EventCounts = std::array<std::optional<std::uint64_t>, events>;

// Where the calling core, or thread, has begun.
struct EventPart {
    std::uint64_t run = 0;
    std::atomic<unsigned> depth{0}; // what lives on the core may be in several parts at a time
    EventReading start{};
};

// Why the event is not counted on this machine; nothing: it is. The console's task.
std::optional<Error> why_not_counted(Event event);

// The following: the calling core or thread. They do not block. On Linux up to ten system calls.
EventPart& event_part();
EventReading read_events();
EventCounts counted_between(EventReading const& first, EventReading const& last);

} // namespace mxk::arch
