// Access to the local APIC's registers, as used by handlers and by everybody else. Compiled without SSE:
// interrupts.hpp.
#include "arch/core_local.hpp"
#include "arch/cpu.hpp"
#include "arch/x86_64/apic/apic.hpp"
#include "arch/x86_64/apic/apic_registers.hpp"
#include "arch/x86_64/cpu/registers.hpp"
#include "arch/x86_64/start/cores.hpp"

namespace mxk::arch::apic {

constinit Mode mode{};

std::uint32_t read_register(std::uint32_t offset) {
    if (mode.x2apic) return static_cast<std::uint32_t>(read_msr(msr::x2apic_first + offset / 16));
    return *reinterpret_cast<std::uint32_t volatile*>(mode.registers + offset);
}

void write_register(std::uint32_t offset, std::uint32_t value) {
    if (mode.x2apic)
        write_msr(msr::x2apic_first + offset / 16, value);
    else
        *reinterpret_cast<std::uint32_t volatile*>(mode.registers + offset) = value;
}

bool is_in_service(unsigned vector) {
    return (read_register(offset::in_service + vector / 32 * 16) >> vector % 32 & 1) != 0;
}

void end_of_interrupt() {
    write_register(offset::end_of_interrupt, 0);
}

void write_command(std::uint32_t target, std::uint32_t command) {
    if (mode.x2apic) {
        // Not serialising: what the other core is to see must be visible before the interrupt (SDM 11.12.3).
        asm volatile("mfence; lfence" ::: "memory");
        write_msr(msr::x2apic_first + offset::command_low / 16, static_cast<std::uint64_t>(target) << 32 | command);
        return;
    }
    // Two writes make one command: no handler of this core may send in between.
    std::uint64_t flags; // NOLINT(cppcoreguidelines-init-variables)
    asm volatile("pushfq; popq %0; cli" : "=r"(flags)::"memory");
    constexpr int max_wait_turns = 100000;
    for (int i = 0; i < max_wait_turns && (read_register(offset::command_low) & delivery_pending) != 0; ++i) pause();
    write_register(offset::command_high, target << 24);
    write_register(offset::command_low, command);
    constexpr std::uint64_t interrupts_enabled = 1 << 9;
    if ((flags & interrupts_enabled) != 0) enable_interrupts();
}

void send(ApicId target, unsigned vector) {
    write_command(static_cast<std::uint32_t>(target), assert_level | vector);
}

void stop_other_cores() {
    // One by one: a processor that was never started, which a broadcast would reach, too, has no handler yet, and its
    // fault resets the machine.
    for (CoreLocal const* const core : released_cores())
        if (core != nullptr && core != &core_local())
            write_command(static_cast<std::uint32_t>(core->apic_id), assert_level | non_maskable);
}

} // namespace mxk::arch::apic
