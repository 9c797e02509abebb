// Kernel stacks: each lies behind addresses that are never mapped, and an overflow names its stack. A stack that is
// given back is kept for the next one of its size and node: taking memory out of the address space would mean to tell
// all cores.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.hpp"
#include "base/units.hpp"

namespace mxk::arch::stacks {

constexpr std::uint64_t min_bytes = 16 * KiB;
constexpr std::uint64_t max_bytes = 16 * MiB;
constexpr std::uint64_t core_stack_bytes = 64 * KiB;

struct Stack {
    std::uint64_t bottom = 0; // lowest mapped address; the guard lies below
    std::uint64_t bytes = 0;
    std::string_view purpose{};
    NodeId node{};

    [[nodiscard]] std::uint64_t top() const { return bottom + bytes; }
};

// A stack in memory of `node`: `bytes` rounded up to a power of two, of which 64 are taken for its description.
// `purpose` must live as long. Errors: no memory. Tasks and threads of any core; blocks for a lock.
Result<Stack> create(std::uint64_t bytes, NodeId node, std::string_view purpose);

// Nobody uses it any more. As create().
void release(Stack const& stack);

// The stack that all of [address, address + bytes) lies on, the boot core's (start64.asm) and those for interrupts
// included. Any core, any context.
std::optional<Stack> containing(std::uint64_t address, std::uint64_t bytes);

// The stack whose guard contains the address. Any core, any context.
std::optional<Stack> overflowed(std::uint64_t address);

} // namespace mxk::arch::stacks
