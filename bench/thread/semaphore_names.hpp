// Kinds of semaphores as options name them.
#pragma once

#include <array>

#include "kernel/console/options.hpp"
#include "tasks/threads/semaphore_kind.hpp"

namespace mxk {

constexpr auto value_names(SemaphoreKind) {
    return std::array{console::NamedValue{SemaphoreKind::Fast, "fast"},
                      console::NamedValue{SemaphoreKind::Syscall, "syscall"}};
}

} // namespace mxk
