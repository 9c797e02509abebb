// How the machine ends, on Linux: the program does.
#pragma once

#include <cstdint>

namespace mxk::arch {

// The values are those of the kernel's exit device in QEMU, so that one driver reads both.
enum class ExitStatus : std::uint32_t { Success = 0x10, CommandFailed = 0x11, Panic = 0x12 };

[[noreturn]] void exit_machine(ExitStatus status);
[[noreturn]] void reset_machine();

} // namespace mxk::arch
