#include "arch/x86_64/cpu/event_registers.hpp"

#include "arch/cpuid/event_codes.hpp"
#include "arch/cpuid/signature.hpp"
#include "base/bits.hpp"

namespace mxk::arch {
namespace {

constexpr std::uint64_t in_all_modes = 1 << 22 | 3 << 16; // a select register: enabled, of system and user
constexpr std::size_t at(Event event) {
    return static_cast<std::size_t>(event);
}

void set_intel(EventRegisters& registers, EventCodes const& codes, CpuidResult const& monitoring) {
    constexpr std::uint32_t first_select = 0x186;
    constexpr std::uint32_t first_count = 0xc1;
    constexpr std::uint32_t fixed_instructions = 0x309;
    constexpr std::uint32_t fixed_cycles = 0x30a;
    constexpr std::uint32_t fixed_control = 0x38d;
    constexpr std::uint32_t global_control = 0x38f;
    unsigned const version = monitoring.eax & 0xff;
    unsigned const counters = monitoring.eax >> 8 & 0xff;
    unsigned const width = monitoring.eax >> 16 & 0xff;
    unsigned const fixed = monitoring.edx & 0x1f;
    if (version < 2 || width == 0 || width > 64) return;
    registers.mask = ~std::uint64_t{0} >> (64 - width);
    std::uint64_t enabled = 0;
    unsigned next = 0;
    for (std::size_t i = 0; i < hardware_events; ++i) {
        if (!codes[i]) continue;
        bool const is_fixed = fixed >= 2 && (i == at(Event::Instructions) || i == at(Event::Cycles));
        if (is_fixed) {
            registers.counters[i] = i == at(Event::Instructions) ? fixed_instructions : fixed_cycles;
        } else if (next < counters) {
            registers.set(first_select + next, in_all_modes | *codes[i]);
            registers.counters[i] = first_count + next;
            enabled |= std::uint64_t{1} << next++;
        }
    }
    if (fixed >= 2) {
        registers.set(fixed_control, 0x33);
        enabled |= std::uint64_t{3} << 32;
    }
    registers.set(global_control, enabled);
}

void set_amd(EventRegisters& registers, EventCodes const& codes, bool has_aperf) {
    constexpr std::uint32_t first_select = 0xc001'0200; // each followed by its counter
    registers.mask = ~std::uint64_t{0} >> 16;
    std::uint32_t next = first_select;
    for (std::size_t i = 0; i < hardware_events; ++i) {
        if (!codes[i]) continue;
        if (i == at(Event::Cycles)) {
            if (has_aperf) registers.counters[i] = msr::aperf;
            continue;
        }
        registers.set(next, in_all_modes | *codes[i]);
        registers.counters[i] = next + 1;
        next += 2;
    }
}

} // namespace

EventRegisters event_registers(AskCpuid ask) {
    EventRegisters registers;
    CpuidResult const leaf0 = ask(0, 0);
    EventCodes const codes = event_codes(ask);
    if (is_intel(leaf0) && leaf0.eax >= 0xa) set_intel(registers, codes, ask(0xa, 0));
    if (has_six_event_counters(ask)) set_amd(registers, codes, leaf0.eax >= 6 && has_bit(ask(6, 0).ecx, 0));
    return registers;
}

bool start_counting(EventRegisters const& registers, WriteMsr write) {
    for (std::size_t i = 0; i < registers.setting_count; ++i)
        if (!write(registers.settings[i].number, registers.settings[i].value)) return false;
    return true;
}

EventReading read_registers(EventRegisters const& registers, ReadMsr read) {
    EventReading reading;
    for (std::size_t i = 0; i < hardware_events; ++i)
        if (registers.counters[i] != 0) reading.counts[i] = read(registers.counters[i]).value_or(0);
    return reading;
}

EventCounts counted_between(EventRegisters const& registers, EventReading const& first, EventReading const& last) {
    EventCounts result;
    for (std::size_t i = 0; i < hardware_events; ++i)
        if (registers.counters[i] != 0) result[i] = (last.counts[i] - first.counts[i]) & registers.mask;
    return result;
}

} // namespace mxk::arch
