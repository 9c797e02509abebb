#include "arch/x86_64/apic/apic.hpp"

#include "arch/cpu.hpp"
#include "arch/x86_64/apic/apic_registers.hpp"
#include "arch/x86_64/clock/calibration.hpp"
#include "arch/x86_64/cpu/cpu_features.hpp"
#include "arch/x86_64/cpu/registers.hpp"
#include "arch/x86_64/exceptions/interrupts.hpp"
#include "arch/x86_64/memory/page_entry.hpp"
#include "arch/x86_64/memory/paging.hpp"
#include "base/log.hpp"
#include "base/panic.hpp"

namespace mxk::arch {
namespace apic {
namespace {

// IA32_APIC_BASE: SDM vol. 3A section 11.4.4 and 11.12.1.
constexpr std::uint64_t x2apic_enabled = 1 << 10;
constexpr std::uint64_t globally_enabled = 1 << 11;

} // namespace

void choose_mode(PhysicalAddress registers, RequestedMode wish) {
    std::uint64_t const base = read_msr(msr::apic_base);
    bool const firmware_says_x2apic = (base & x2apic_enabled) != 0;
    mode.x2apic = firmware_says_x2apic || (features().x2apic && wish == RequestedMode::X2apic);
    auto const place = static_cast<PhysicalAddress>(base & page_entry::address_mask);
    if (place != registers)
        log::warn("ACPI: MADT, address of the local APICs: expected {}, as the processor has it (IA32_APIC_BASE), got "
                  "{}: the processor's is used",
                  place, registers);
    if (mode.x2apic) return;
    mode.registers = map_device("IA32_APIC_BASE", {place, page_bytes}, page_bytes);
    expect(mode.registers != nullptr, "the local APIC is where a device can be");
}

bool is_x2apic() {
    return mode.x2apic;
}
bool can_reach(ApicId target) {
    return mode.x2apic || static_cast<std::uint32_t>(target) < 255;
}

void enable() {
    std::uint64_t const base = read_msr(msr::apic_base) | globally_enabled;
    write_msr(msr::apic_base, base);
    // From off to x2APIC only by way of xAPIC: SDM figure 11-27.
    if (mode.x2apic) write_msr(msr::apic_base, base | x2apic_enabled);
    // First: while it is off, as after INIT, every entry below stays masked whatever is written (SDM section 11.4.7.2).
    constexpr std::uint32_t software_enabled = 1 << 8;
    write_register(offset::spurious_vector, software_enabled | vector::spurious);
    write_register(offset::task_priority, 0);
    write_register(offset::line0_vector, masked);
    write_register(offset::line1_vector, masked);
    write_register(offset::divide, divide_by_16);
    write_register(offset::timer_vector, vector::timer | (features().tsc_deadline ? tsc_deadline : 0));
    // Else the first time stamp might be written before the mode, and be lost (SDM section 11.5.4.1).
    asm volatile("mfence" ::: "memory");
}

void connect(LocalInputs const& inputs) {
    constexpr std::uint32_t entries[] = {offset::line0_vector, offset::line1_vector};
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        // Edge triggered, whatever the firmware says: an NMI always is (SDM section 11.5.1).
        std::uint32_t const entry = non_maskable | (inputs[i].active_low ? active_low : 0);
        write_register(entries[i], inputs[i].non_maskable ? entry : masked);
    }
}

ApicId id() {
    std::uint32_t const value = read_register(offset::id);
    return static_cast<ApicId>(mode.x2apic ? value : value >> 24);
}

void send_init(ApicId target) {
    write_command(static_cast<std::uint32_t>(target), init | assert_level);
}

void send_startup(ApicId target, unsigned page) {
    write_command(static_cast<std::uint32_t>(target), startup | assert_level | page);
}

void calibrate_timer() {
    if (features().tsc_deadline) return;
    constexpr std::uint64_t window = 10'000'000; // ns; the count lasts for seconds at any bus clock
    write_register(offset::timer_vector, vector::timer | masked);
    write_register(offset::initial_count, UINT32_MAX);
    std::uint64_t const start = raw(timestamp());
    busy_wait(Nanoseconds{window});
    std::uint64_t const ticks = UINT32_MAX - read_register(offset::current_count);
    std::uint64_t const cycles = raw(timestamp()) - start;
    write_register(offset::initial_count, 0);
    write_register(offset::timer_vector, vector::timer);
    timer_ticks_per_cycle = (ticks << 32) / cycles;
    expect(timer_ticks_per_cycle != 0, "the local APIC timer does not count");
}

} // namespace apic

} // namespace mxk::arch
