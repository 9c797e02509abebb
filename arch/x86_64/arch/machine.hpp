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

// For results: which processor, which hypervisor (empty: none), which build.
struct MachineDescription {
    std::string_view cpu;
    std::string_view hypervisor;
    std::string_view build;
};
MachineDescription describe_machine();

} // namespace mxk::arch
