// How this program ends.
#pragma once

#include "arch/machine.hpp"

namespace mxk::arch {

// The exit codes of tools/mxk, so that a script may use either: 0 every command succeeded, 1 one failed, 2 usage,
// 3 panic.
constexpr int usage_exit_code = 2;
constexpr int exit_code(ExitStatus status) {
    switch (status) {
    case ExitStatus::Success: return 0;
    case ExitStatus::CommandFailed: return 1;
    case ExitStatus::Panic: break;
    }
    return 3;
}

} // namespace mxk::arch
