#include "arch/x86_64/board/power.hpp"

#include "arch/machine.hpp"
#include "arch/x86_64/apic/apic.hpp"
#include "arch/x86_64/cpu/registers.hpp"
#include "arch/x86_64/exceptions/interrupts.hpp"
#include "arch/x86_64/memory/paging.hpp"

namespace mxk::arch {
namespace {

constinit ResetRegister reset_register{};
constinit std::byte* mapped_reset_register = nullptr;
constinit bool keyboard_controller = true;
constinit PowerSwitch power_switch{};

void reset_by_register() {
    if (reset_register.space == ResetRegister::Space::Port)
        out8(static_cast<std::uint16_t>(reset_register.address), reset_register.value);
    if (mapped_reset_register != nullptr)
        *reinterpret_cast<std::uint8_t volatile*>(mapped_reset_register) = reset_register.value;
}

void reset_by_keyboard_controller() {
    if (!keyboard_controller) return;
    constexpr std::uint16_t port = 0x64;
    for (int i = 0; i < 100000 && (in8(port) & 2) != 0; ++i) {
    }
    out8(port, 0xfe);
}

void settle() { // a reset takes effect after a while
    for (int i = 0; i < 1'000'000; ++i) asm volatile("pause");
}

// Of the PM1 control register, ACPI 6.5 table 4.13.
constexpr std::uint16_t acpi_is_enabled = 1U << 0;
constexpr unsigned sleep_type_shift = 10;
constexpr std::uint16_t sleep_type_mask = 7U << sleep_type_shift;
constexpr std::uint16_t sleep_enable = 1U << 13;

void enter_sleep(std::uint16_t port, std::uint8_t type) {
    if (port == 0) return;
    auto const kept = static_cast<unsigned>(in16(port)) & ~static_cast<unsigned>(sleep_type_mask);
    out16(port, static_cast<std::uint16_t>(kept | static_cast<unsigned>(type) << sleep_type_shift | sleep_enable));
}

// Firmware that has kept the registers to itself hands them over (ACPI 6.5 section 4.8.2.3).
void enable_acpi() {
    if (power_switch.enable_port == 0 || (in16(power_switch.control_port) & acpi_is_enabled) != 0) return;
    out8(power_switch.enable_port, power_switch.enable_value);
    for (int i = 0; i < 100'000 && (in16(power_switch.control_port) & acpi_is_enabled) == 0; ++i) {
    }
}

} // namespace

void set_reset_means(ResetRegister const& target, bool has_keyboard_controller) {
    reset_register = target;
    if (target.space == ResetRegister::Space::Memory)
        mapped_reset_register = map_device("ACPI: FADT, reset register", {PhysicalAddress{target.address}, 1});
    keyboard_controller = has_keyboard_controller;
}

void set_power_off_means(PowerSwitch const& target) {
    power_switch = target;
}
bool can_power_off() {
    return power_switch.control_port != 0;
}

void try_power_off() {
    if (!can_power_off()) return;
    enable_acpi();
    enter_sleep(power_switch.control_port, power_switch.sleep_type);
    enter_sleep(power_switch.second_control_port, power_switch.second_sleep_type);
    settle();
}

void reset_machine() {
    begin_end();
    reset_by_register();
    settle();
    reset_by_keyboard_controller();
    settle();
    // Without an interrupt table the next exception shuts the processor down, which resets the machine.
    struct [[gnu::packed]] {
        std::uint16_t limit = 0;
        std::uint64_t base = 0;
    } const nothing;
    asm volatile("lidt %0; int3" ::"m"(nothing));
    halt_forever();
}

} // namespace mxk::arch
