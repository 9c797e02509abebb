#include "arch/x86_64/stacks.hpp"

#include <new>

#include "arch/x86_64/layout.hpp"
#include "arch/x86_64/memory_source.hpp"
#include "arch/x86_64/paging.hpp"
#include "base/panic.hpp"

extern "C" {
extern char boot_stack_guard[], boot_stack_top[];
}

namespace mxk::arch::stacks {
namespace {

// Each stack ends at the end of its slot; everything from the slot's start to the stack's bottom is guard. The
// description lies at the stack's top, so there is no list whose length would limit the number of stacks.
//
//   | not mapped: guard .............. | stack, grows down ............ description |
//   slot                               bottom                                  slot end
constexpr std::uint64_t slot_bytes = 128 * KiB;
constexpr std::uint64_t description_bytes = 64;
static_assert(sizeof(Stack) <= description_bytes);

constinit std::uint64_t count = 0;

Stack* description(std::uint64_t slot) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    return reinterpret_cast<Stack*>(stacks_base + (slot + 1) * slot_bytes - description_bytes);
}

// The stack in whose slot the address lies.
Stack const* find(std::uint64_t address) {
    if (address < stacks_base || address >= stacks_base + count * slot_bytes) return nullptr;
    return description((address - stacks_base) / slot_bytes);
}

Stack boot_stack() {
    auto const bottom = reinterpret_cast<std::uint64_t>(boot_stack_guard) + page_bytes;
    return {bottom, reinterpret_cast<std::uint64_t>(boot_stack_top) - bottom, "task"};
}

} // namespace

Result<Stack> create(std::uint64_t bytes, NodeId node, std::string_view purpose) {
    expect(is_aligned(bytes, page_bytes) && bytes < slot_bytes, "a stack is whole pages and leaves room for its guard");
    std::byte* const memory = take_memory(bytes, page_bytes, node);
    if (memory == nullptr) return Error::of("no memory on any node for a {} stack", purpose);
    std::uint64_t const end = stacks_base + (count + 1) * slot_bytes;
    map(end - bytes, to_physical(memory), bytes, Access::ReadWrite);
    Stack const stack{end - bytes, bytes - description_bytes, purpose};
    new (description(count)) Stack(stack);
    ++count;
    return stack;
}

bool contains(std::uint64_t address, std::uint64_t bytes) {
    auto const inside = [&](Stack const& stack) {
        return address >= stack.bottom && address - stack.bottom <= stack.bytes - bytes;
    };
    if (inside(boot_stack())) return true;
    Stack const* const stack = find(address);
    return stack != nullptr && inside(*stack);
}

std::optional<Stack> overflowed(std::uint64_t address) {
    if (Stack const stack = boot_stack(); address < stack.bottom && address >= stack.bottom - page_bytes) return stack;
    Stack const* const stack = find(address);
    if (stack == nullptr || address >= stack->bottom) return std::nullopt;
    return *stack;
}

} // namespace mxk::arch::stacks
