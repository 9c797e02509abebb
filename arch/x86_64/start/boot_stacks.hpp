// The boot core's stacks, which are part of the image since they are needed before there is memory: one for its tasks,
// and one for each kind of interrupt that switches stacks. Below each lies a guard page.
#pragma once

#include <array>

#include "arch/stacks.hpp"
#include "arch/x86_64/exceptions/descriptors.hpp"

namespace mxk::arch {

// The tasks' first, then as InterruptStack counts them. Any core, any context.
std::array<stacks::Stack, 1 + interrupt_stack_count> boot_stacks();

// What each is for, in the same order; of other cores' stacks, too.
inline constexpr std::array<std::string_view, 1 + interrupt_stack_count> core_stack_purposes = {
    "task", "double fault", "NMI", "machine check", "page fault"};

} // namespace mxk::arch
