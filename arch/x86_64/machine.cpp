#include "arch/machine.hpp"

#include "arch/cpuid/signature.hpp"
#include "arch/terminal.hpp"
#include "arch/x86_64/apic/apic.hpp"
#include "arch/x86_64/board/keyboard.hpp"
#include "arch/x86_64/board/power.hpp"
#include "arch/x86_64/board/screen.hpp"
#include "arch/x86_64/board/serial.hpp"
#include "arch/x86_64/cpu/cpu_features.hpp"
#include "arch/x86_64/cpu/mitigations.hpp"
#include "arch/x86_64/cpu/registers.hpp"
#include "arch/x86_64/exceptions/fixup.hpp"
#include "arch/x86_64/exceptions/interrupts.hpp"
#include "base/format.hpp"
#include "base/spin_wait.hpp"
#include <build_description.hpp> // made by tools/build_description.cmake

namespace mxk::arch {
namespace {

constexpr std::uint16_t debug_exit_port = 0xf4; // QEMU: -device isa-debug-exit,iobase=0xf4

// For ever: the person at the line decides. Polls, since interrupts have nobody left to serve; what was typed before,
// and waits in the ring, does not count.
[[noreturn]] void offer_reset() {
    write_everywhere(can_power_off() ? "Type r to reset the machine, p to switch it off.\n"
                                     : "Type r to reset the machine.\n");
    while (true) {
        auto key = serial::read_directly();
        if (!key) key = keyboard::poll();
        if (key == 'r') {
            write_everywhere("reset\n");
            reset_machine();
        }
        if (key == 'p' && can_power_off()) {
            write_everywhere("power off\n");
            try_power_off();
            write_everywhere("The machine did not switch itself off.\n");
        }
        asm volatile("pause");
    }
}

struct CodeState {
    FixedText<16> microcode;
    FixedText<256> mitigations;
};

// Of the calling core: firmware gives all of them the same.
CodeState find_code_state() {
    // So that CPUID shows an Intel processor's revision (SDM vol. 3A section 9.11.7.1); AMD's register stays as it is.
    if (is_intel(cpuid(0))) try_write_msr(msr::microcode, 0);
    cpuid(1);
    Mitigations const found = read_mitigations(&cpuid, &try_read_msr);
    CodeState state;
    if (found.microcode) format(state.microcode, "0x{:x}", *found.microcode);
    print_mitigations(state.mitigations, found);
    return state;
}

} // namespace

void exit_machine(ExitStatus status) {
    begin_end();
    // Only a hypervisor can have the exit device; on a physical machine the port may be anything.
    if (features().hypervisor) out32(debug_exit_port, static_cast<std::uint32_t>(status));
    write_everywhere(status == ExitStatus::Success         ? "\nMXK has ended: every command succeeded.\n"
                     : status == ExitStatus::CommandFailed ? "\nMXK has ended: a command failed.\n"
                                                           : "\nMXK has ended in a panic.\n");
    if (!serial::is_present() && !keyboard::is_present()) halt_forever();
    offer_reset();
}

void halt_machine(ExitStatus status) {
    begin_end();
    write_everywhere(status == ExitStatus::Success ? "MXK has halted: every command succeeded.\n"
                                                   : "MXK has halted: a command failed.\n");
    halt_forever();
}

MachineDescription describe_machine() {
    static constinit bool is_known = false; // the boot core asks first, alone
    static constinit CodeState code{};
    if (!is_known) code = find_code_state();
    is_known = true;
    return {.cpu = features().brand,
            .hypervisor = features().hypervisor_name,
            .platform = "metal",
            .pages = features().gigabyte_pages ? "1 GiB pages" : "2 MiB pages",
            .version = MXK_VERSION,
            .build = MXK_BUILD,
            .microcode = code.microcode.view(),
            .mitigations = code.mitigations.view()};
}

} // namespace mxk::arch

namespace mxk {

void offer_processor() {
    __builtin_ia32_pause();
}

} // namespace mxk
