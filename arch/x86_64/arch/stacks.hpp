// Kernel stacks: each lies behind addresses that are never mapped, and an overflow names its stack. Stacks that are
// given back are kept for the next ones of their size and node, up to `max_kept_bytes` of the machine; the memory of
// what is more goes back to its node, many stacks at a time, since all cores must be told that it has left the address
// space.
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
constexpr std::uint64_t max_kept_bytes = 4 * MiB;

struct Stack {
    std::uint64_t bottom = 0; // lowest mapped address; the guard lies below
    std::uint64_t bytes = 0;
    std::string_view purpose{};
    NodeId node{};

    [[nodiscard]] std::uint64_t top() const { return bottom + bytes; }
};

// A stack in memory of `node`: `bytes` rounded up to a power of two. `purpose` must live as long. Errors: no memory for
// the stack or for a page table, even with all that is kept given back; nothing is lost by that. Tasks and threads of
// any core; blocks for locks, and rarely until all cores have answered an interrupt.
Result<Stack> create(std::uint64_t bytes, NodeId node, std::string_view purpose);

// Nobody uses it any more. As create().
void release(Stack const& stack);

// Gives back the memory of the stacks that are kept, until no more than so many bytes are. As create().
void keep_only(std::uint64_t bytes);

// The stack that all of [address, address + bytes) lies on, the boot core's (start64.asm) and those for interrupts
// included. Any core, any context.
std::optional<Stack> containing(std::uint64_t address, std::uint64_t bytes);

// The stack whose guard contains the address. Any core, any context.
std::optional<Stack> overflowed(std::uint64_t address);

} // namespace mxk::arch::stacks
