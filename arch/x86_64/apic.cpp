#include "arch/x86_64/apic.hpp"

#include "arch/core_local.hpp"
#include "arch/cpu.hpp"
#include "arch/x86_64/apic_registers.hpp"
#include "arch/x86_64/calibration.hpp"
#include "arch/x86_64/cpu_features.hpp"
#include "arch/x86_64/interrupts.hpp"
#include "arch/x86_64/paging.hpp"
#include "arch/x86_64/registers.hpp"
#include "base/panic.hpp"

namespace mxk::arch {
namespace apic {
namespace {

// IA32_APIC_BASE: SDM vol. 3A section 11.4.4 and 11.12.1.
constexpr std::uint64_t x2apic_enabled = 1 << 10;
constexpr std::uint64_t globally_enabled = 1 << 11;

constinit std::uint64_t ticks_per_second = 0;

} // namespace

void choose_mode(PhysicalAddress registers) {
    bool const firmware_says_x2apic = (read_msr(msr::apic_base) & x2apic_enabled) != 0;
    mode.x2apic = firmware_says_x2apic || features().x2apic;
    if (!mode.x2apic) mode.registers = map_device(registers, page_bytes);
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
    constexpr std::uint32_t software_enabled = 1 << 8;
    write_register(offset::task_priority, 0);
    write_register(offset::line0_vector, masked);
    write_register(offset::line1_vector, masked);
    write_register(offset::timer_vector, vector::timer | masked);
    write_register(offset::divide, divide_by_16);
    write_register(offset::spurious_vector, software_enabled | vector::spurious);
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
    constexpr std::uint64_t window = 10'000'000; // ns; the count lasts for seconds at any bus clock
    write_register(offset::timer_vector, vector::timer | masked);
    write_register(offset::initial_count, UINT32_MAX);
    busy_wait(Nanoseconds{window});
    std::uint32_t const ticks = UINT32_MAX - read_register(offset::current_count);
    write_register(offset::initial_count, 0);
    ticks_per_second = ticks * (1'000'000'000 / window);
    expect(ticks_per_second != 0, "the local APIC timer does not count");
}

} // namespace apic

void arm_timer(Nanoseconds delay) {
    // 2^32 ns is some seconds: long enough for every caller, and the product fits.
    std::uint64_t const nanoseconds = raw(delay) < UINT32_MAX ? raw(delay) : UINT32_MAX;
    std::uint64_t const ticks = nanoseconds * (apic::ticks_per_second / 1000) / 1'000'000;
    apic::write_register(apic::offset::timer_vector, vector::timer); // one-shot
    apic::write_register(apic::offset::initial_count, static_cast<std::uint32_t>(ticks == 0           ? 1
                                                                                 : ticks < UINT32_MAX ? ticks
                                                                                                      : UINT32_MAX));
}

} // namespace mxk::arch
