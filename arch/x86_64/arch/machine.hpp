// What the machine is and how it ends, on metal.
#pragma once

#include <cstdint>
#include <string_view>

namespace mxk::arch {

// Written to QEMU's isa-debug-exit device, which ends QEMU with status 2 * value + 1.
enum class ExitStatus : std::uint32_t { Success = 0x10, CommandFailed = 0x11, Panic = 0x12 };

// Ends QEMU with the status; on a physical machine all cores halt and a last line says so. Any core.
[[noreturn]] void exit_machine(ExitStatus status);

// Resets through ACPI's reset register, the keyboard controller or, last, a triple fault. Any core.
[[noreturn]] void reset_machine();

// For results.
struct MachineDescription {
    std::string_view cpu;
    std::string_view hypervisor; // empty: none
    std::string_view platform;   // "metal", or the system below: "Linux 6.1.0"
    std::string_view pages;      // what maps the memory
    std::string_view build;      // revision and compiler
};
// The texts are valid until the next call. The console's core.
MachineDescription describe_machine();

} // namespace mxk::arch
