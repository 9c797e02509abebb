// Kernel stacks: each lies behind a page that is never mapped, and whoever overflows it is named. Stacks live as long
// as the kernel (the thread layer will add taking them back).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.hpp"
#include "base/units.hpp"

namespace mxk::arch::stacks {

constexpr std::uint64_t core_stack_bytes = 64 * KiB;

struct Stack {
    std::uint64_t bottom; // lowest mapped address; the guard page lies below
    std::uint64_t bytes;
    std::string_view purpose;

    [[nodiscard]] std::uint64_t top() const { return bottom + bytes; }
};

// A new stack in memory of `node`. The boot core.
Result<Stack> create(std::uint64_t bytes, NodeId node, std::string_view purpose);

// Whether all of [address, address + bytes) lies on a stack, the boot core's (start64.asm) included. Any core, any
// context. For interrupt stacks too.
bool contains(std::uint64_t address, std::uint64_t bytes);

// The stack whose guard page contains the address. Any core, any context.
std::optional<Stack> overflowed(std::uint64_t address);

} // namespace mxk::arch::stacks
