// What the machine is and how it ends, on Linux: the program does.
#pragma once

#include <cstdint>
#include <string_view>

namespace mxk::arch {

// The values are those of the kernel's exit device in QEMU.
enum class ExitStatus : std::uint32_t { Success = 0x10, CommandFailed = 0x11, Panic = 0x12 };

// Ends the program. Core 0's thread.
[[noreturn]] void exit_machine(ExitStatus status);

// There is nothing to reset: starts the program anew, with the same arguments. Where these were commands it would come
// here again for ever: there it only says so, and ends with a failure.
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
