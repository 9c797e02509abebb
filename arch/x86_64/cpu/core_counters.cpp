#include "arch/core_counters.hpp"

#include "arch/cpu.hpp"
#include "arch/x86_64/cpu/counter_registers.hpp"
#include "arch/x86_64/cpu/cpu_features.hpp"
#include "arch/x86_64/cpu/registers.hpp"
#include "arch/x86_64/exceptions/fixup.hpp"

namespace mxk::arch {
namespace {

CounterRegisters const& registers() {
    static constinit bool is_known = false; // asked by the console's core first, which then asks the others
    static constinit CounterRegisters found{};
    if (!is_known) found = counter_registers(&cpuid);
    is_known = true;
    return found;
}

// What is not in use is set to count SMIs.
void start_amd_counter() {
    constexpr std::uint64_t counts = 1 << 22;
    auto const now = try_read_msr(msr::amd_event_select);
    if (!now || (*now & counts) != 0) return;
    if (try_write_msr(msr::amd_event_count, 0)) try_write_msr(msr::amd_event_select, amd_smi_event);
}

} // namespace

bool has_core_counters() {
    return registers().any();
}

CoreCounters read_core_counters() {
    // Not under a hypervisor, whose counters are its own.
    if (registers().amd_events && !features().hypervisor) start_amd_counter();
    return read_counters(registers(), &try_read_msr);
}

// The bits that say what has been are cleared by writing 0; all others are read only, or nobody wants them.
void forget_throttling() {
    if (registers().thermal_status) try_write_msr(msr::thermal_status, 0);
    if (registers().package_status) try_write_msr(msr::package_thermal_status, 0);
}

std::optional<Nanoseconds> max_gap(Nanoseconds duration) {
    if (features().hypervisor || read_core_counters().smis) return std::nullopt;
    std::uint64_t const per_microsecond = timestamp_frequency() / 1'000'000;
    if (per_microsecond == 0) return std::nullopt;
    disable_interrupts();
    std::uint64_t const cycles = max_gap_of([] { return raw(timestamp()); }, raw(duration) * per_microsecond / 1000);
    enable_interrupts();
    return Nanoseconds{cycles * 1000 / per_microsecond};
}

} // namespace mxk::arch
