#include "arch/event_counters.hpp"

#include "arch/core_local.hpp"
#include "arch/x86_64/cpu/event_registers.hpp"
#include "arch/x86_64/exceptions/fixup.hpp"

namespace mxk::arch {
namespace {

struct Counters {
    EventRegisters registers;
    bool count = false; // a hypervisor may take the registers and count nothing
};

Counters probed() {
    Counters found{event_registers(&cpuid)};
    if (found.registers.setting_count == 0 || !start_counting(found.registers, &try_write_msr)) return found;
    EventReading const before = read_registers(found.registers, &try_read_msr);
    for (unsigned i = 0; i < 1000; ++i) asm volatile("");
    constexpr auto instructions = static_cast<std::size_t>(Event::Instructions);
    found.count = read_registers(found.registers, &try_read_msr).counts[instructions] != before.counts[instructions];
    return found;
}

Counters const& counters() {
    static constinit bool is_known = false; // asked by the console's core first, which then lets the others begin
    static constinit Counters found{};
    if (!is_known) found = probed();
    is_known = true;
    return found;
}

} // namespace

std::optional<Error> why_not_counted(Event event) {
    auto const at = static_cast<std::size_t>(event);
    if (at >= hardware_events) return Error("no system is below the kernel");
    if (counters().registers.setting_count == 0) return Error("no counters are known on this processor");
    if (!counters().count) return Error("the processor's counters do not count, as under a hypervisor");
    if (counters().registers.counters[at] == 0) return Error("no counter of it is known on this processor");
    return std::nullopt;
}

EventPart& event_part() {
    return core_local().events;
}

EventReading read_events() {
    if (!counters().count) return {};
    start_counting(counters().registers, &try_write_msr);
    return read_registers(counters().registers, &try_read_msr);
}

EventCounts counted_between(EventReading const& first, EventReading const& last) {
    return counters().count ? counted_between(counters().registers, first, last) : EventCounts{};
}

} // namespace mxk::arch
