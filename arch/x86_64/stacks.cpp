#include "arch/stacks.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <new>
#include <utility>

#include "arch/x86_64/image.hpp"
#include "arch/x86_64/layout.hpp"
#include "arch/x86_64/memory_source.hpp"
#include "arch/x86_64/paging.hpp"
#include "base/panic.hpp"
#include "base/spin_lock.hpp"

namespace mxk::arch::stacks {
namespace {

// Stacks of one size, a power of two, lie side by side in slots of twice that: half a slot is guard. The description
// lies at the stack's top, so there is no list whose length would limit the number of stacks.
//
//   | not mapped: guard .............. | stack, grows down ............ description |
//   slot                               bottom                                  slot end
constexpr unsigned sizes = std::countr_zero(max_bytes) - std::countr_zero(min_bytes) + 1;
constexpr std::uint64_t bytes_per_size = std::uint64_t{1} << 40; // of addresses
constexpr std::uint64_t description_bytes = 64;

struct Description {
    Stack stack;
    Description* next = nullptr; // of those given back
};
static_assert(sizeof(Description) <= description_bytes);

// All stacks of one size.
struct Size {
    std::atomic<std::uint64_t> count{0}; // slots that have a stack; release, acquire: their descriptions are there
    Description* free = nullptr;
};
constinit SpinLock lock{lock_bands::memory.rank(0)}; // all but reading the counts
constinit std::array<Size, sizes> all{};

unsigned size_for(std::uint64_t bytes) {
    return static_cast<unsigned>(std::bit_width(std::max(bytes, min_bytes) - 1) - std::countr_zero(min_bytes));
}
constexpr std::uint64_t slot_bytes(unsigned size) {
    return 2 * min_bytes << size;
}
std::uint64_t slot_start(unsigned size, std::uint64_t slot) {
    return stacks_base + size * bytes_per_size + slot * slot_bytes(size);
}

Description* description(unsigned size, std::uint64_t slot) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    return reinterpret_cast<Description*>(slot_start(size, slot + 1) - description_bytes);
}

// The stack in whose slot the address lies.
Stack const* find(std::uint64_t address) {
    if (address < stacks_base || address >= stacks_base + sizes * bytes_per_size) return nullptr;
    auto const size = static_cast<unsigned>((address - stacks_base) / bytes_per_size);
    std::uint64_t const slot = (address - slot_start(size, 0)) / slot_bytes(size);
    if (slot >= all[size].count.load(std::memory_order_acquire)) return nullptr;
    return &description(size, slot)->stack;
}

Stack boot_stack() {
    auto const bottom = reinterpret_cast<std::uint64_t>(boot_stack_guard) + page_bytes;
    return {bottom, reinterpret_cast<std::uint64_t>(boot_stack_top) - bottom, "task", {}};
}

Stack* take_free(unsigned size, NodeId node, std::string_view purpose) {
    for (Description** link = &all[size].free; *link != nullptr; link = &(*link)->next) {
        if ((*link)->stack.node != node) continue;
        Stack& stack = (*link)->stack;
        *link = (*link)->next;
        stack.purpose = purpose;
        return &stack;
    }
    return nullptr;
}

} // namespace

Result<Stack> create(std::uint64_t bytes, NodeId node, std::string_view purpose) {
    expect(bytes <= max_bytes, "a stack has up to 16 MiB");
    unsigned const size = size_for(bytes);
    LockGuard const guard(lock);
    if (Stack const* const again = take_free(size, node, purpose)) return *again;
    std::uint64_t const whole = slot_bytes(size) / 2;
    std::byte* const memory = take_memory(whole, page_bytes, node);
    if (memory == nullptr) return Error::of("no memory on any node for a {} stack of {} bytes", purpose, whole);
    std::uint64_t const slot = all[size].count.load(std::memory_order_relaxed);
    std::uint64_t const end = slot_start(size, slot + 1);
    map(end - whole, to_physical(memory), whole, Access::ReadWrite);
    auto const* const made =
        new (description(size, slot)) Description{{end - whole, whole - description_bytes, purpose, node}};
    all[size].count.store(slot + 1, std::memory_order_release);
    return made->stack;
}

void release(Stack const& stack) {
    unsigned const size = size_for(stack.bytes);
    LockGuard const guard(lock);
    auto* const given_back = reinterpret_cast<Description*>(stack.top()); // NOLINT(performance-no-int-to-ptr)
    given_back->stack.purpose = "unused";
    given_back->next = std::exchange(all[size].free, given_back);
}

std::optional<Stack> containing(std::uint64_t address, std::uint64_t bytes) {
    auto const holds = [&](Stack const& stack) {
        return address >= stack.bottom && address - stack.bottom <= stack.bytes - bytes;
    };
    if (Stack const stack = boot_stack(); holds(stack)) return stack;
    Stack const* const stack = find(address);
    if (stack == nullptr || !holds(*stack)) return std::nullopt;
    return *stack;
}

std::optional<Stack> overflowed(std::uint64_t address) {
    if (Stack const stack = boot_stack(); address < stack.bottom && address >= stack.bottom - page_bytes) return stack;
    Stack const* const stack = find(address);
    if (stack == nullptr || address >= stack->bottom) return std::nullopt;
    return *stack;
}

} // namespace mxk::arch::stacks
