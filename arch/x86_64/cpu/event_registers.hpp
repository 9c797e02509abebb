// Which registers count the events of arch/event_counters.hpp. Pure: tested on the host with made-up processors.
//   Intel, architectural performance monitoring from version 2 on (SDM vol. 3B section 20.2): instructions and
//     cycles by fixed counters, all else by general ones.
//   AMD from family 17h on, with six counters (has_six_event_counters()): cycles by IA32_APERF, since the last counter
//   counts SMIs (counter_registers.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "arch/cpuid/cpuid.hpp"
#include "arch/event_counters.hpp"
#include "arch/x86_64/cpu/counter_registers.hpp"

namespace mxk::arch {

struct EventRegisters {
    struct Setting {
        std::uint32_t number;
        std::uint64_t value;
    };
    std::array<std::uint32_t, hardware_events> counters{}; // by Event; 0: there is none
    std::array<Setting, hardware_events + 2> settings{};   // what makes them count
    std::size_t setting_count = 0;
    std::uint64_t mask = 0; // of a counter's bits

    void set(std::uint32_t number, std::uint64_t value) { settings[setting_count++] = {number, value}; }
};

EventRegisters event_registers(AskCpuid ask);

using WriteMsr = bool (*)(std::uint32_t number, std::uint64_t value);
// Makes the calling core count. False: the processor refuses it.
bool start_counting(EventRegisters const& registers, WriteMsr write);
EventReading read_registers(EventRegisters const& registers, ReadMsr read);
EventCounts counted_between(EventRegisters const& registers, EventReading const& first, EventReading const& last);

} // namespace mxk::arch
