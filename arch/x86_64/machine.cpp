#include "arch/machine.hpp"

#include "arch/terminal.hpp"
#include "arch/x86_64/apic.hpp"
#include "arch/x86_64/cpu_features.hpp"
#include "arch/x86_64/interrupts.hpp"
#include "arch/x86_64/machine.hpp"
#include "arch/x86_64/paging.hpp"
#include "arch/x86_64/registers.hpp"
#include "arch/x86_64/serial.hpp"
#include "base/spin_wait.hpp"
#include <build_description.hpp> // made by tools/build_description.cmake

namespace mxk::arch {
namespace {

constexpr std::uint16_t debug_exit_port = 0xf4; // QEMU: -device isa-debug-exit,iobase=0xf4

constinit ResetRegister reset_register{};
constinit bool keyboard_controller = true;

void reset_by_register() {
    auto const address = reset_register.address;
    if (reset_register.space == ResetRegister::Space::Port)
        out8(static_cast<std::uint16_t>(address), reset_register.value);
    if (reset_register.space == ResetRegister::Space::Memory)
        *reinterpret_cast<std::uint8_t volatile*>(map_device(static_cast<PhysicalAddress>(address), 1)) =
            reset_register.value;
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

} // namespace

void set_reset_means(ResetRegister const& target, bool has_keyboard_controller) {
    reset_register = target;
    keyboard_controller = has_keyboard_controller;
}

void exit_machine(ExitStatus status) {
    // Only a hypervisor can have the exit device; on a physical machine the port may be anything.
    if (features().hypervisor) out32(debug_exit_port, static_cast<std::uint32_t>(status));
    serial::write_unlocked(status == ExitStatus::Success         ? "\nMXK has ended: every command succeeded.\n"
                           : status == ExitStatus::CommandFailed ? "\nMXK has ended: a command failed.\n"
                                                                 : "\nMXK has ended in a panic.\n");
    machine_is_ending = true;
    apic::stop_other_cores();
    halt_forever();
}

void reset_machine() {
    disable_interrupts();
    machine_is_ending = true;
    apic::stop_other_cores();
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

MachineDescription describe_machine() {
    return {.cpu = features().brand,
            .hypervisor = features().hypervisor_name,
            .platform = "metal",
            .pages = features().gigabyte_pages ? "1 GiB pages" : "2 MiB pages",
            .build = MXK_BUILD};
}

} // namespace mxk::arch

namespace mxk {

void offer_processor() {
    __builtin_ia32_pause();
}

} // namespace mxk
