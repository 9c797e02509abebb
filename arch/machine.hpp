// What the machine is and how it ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mxk::arch {

// Written to QEMU's isa-debug-exit device, which ends QEMU with status 2 * value + 1. Linux: see
// arch/linux/machine.hpp.
enum class ExitStatus : std::uint32_t { Success = 0x10, CommandFailed = 0x11, Panic = 0x12 };

// Metal: ends QEMU with the status; on a physical machine all cores halt and a last line says so. Any core.
// Linux: ends the program. Core 0.
[[noreturn]] void exit_machine(ExitStatus status);

// Metal: all cores stop, with a last line that says whether any command has failed, and the machine stays on: the
// exit device is not asked. Any core.
// Linux: the same line, and the program ends as by exit_machine(). Core 0.
[[noreturn]] void halt_machine(ExitStatus status);

// Metal: resets through ACPI's reset register, the keyboard controller or, last, a triple fault. Any core.
// Linux: there is nothing to reset, so the program starts anew, with the same arguments. Where these were commands it
// would come here again for ever: there it only says so, and ends with a failure. Core 0.
[[noreturn]] void reset_machine();

// For results.
struct MachineDescription {
    std::string_view cpu;
    std::string_view hypervisor;  // empty: none
    std::string_view platform;    // "metal", or the system below: "Linux 6.1.0"
    std::string_view pages;       // what maps the memory
    std::string_view version;     // of the sources: 0.3.0
    std::string_view build;       // revision and compiler
    std::string_view microcode;   // "0xd000389"; empty: not told
    std::string_view mitigations; // of attacks by speculation: what is on, and costs time
    std::size_t processors = 0;   // that the system below has online; 0: there is none below

    // By QEMU's emulator, which has no caches: it passes over prefetches, but not over what chooses their addresses.
    [[nodiscard]] bool is_emulated() const { return hypervisor == "TCGTCGTCGTCG"; }
};
// The texts are valid until the next call. The console's core.
MachineDescription describe_machine();

} // namespace mxk::arch
