#include "arch/execution.hpp"

#include <utility>

#include "arch/attention.hpp"
#include "arch/nest.hpp"
#include "arch/sections.hpp"
#include "arch/stacks.hpp"
#include "arch/x86_64/cpu/cpu_features.hpp"
#include "arch/x86_64/cpu/registers.hpp"
#include "arch/x86_64/exceptions/interrupts.hpp"
#include "arch/x86_64/exceptions/symbol_table.hpp"
#include "base/panic.hpp"
#include "base/preemption.hpp"

extern "C" char const begin_execution[];

namespace mxk::arch {
namespace {

// What switch_stack() finds on a stack.
struct SavedFrame {
    std::uint32_t mxcsr;
    std::uint32_t x87_control;
    std::uint64_t r15, r14, r13, r12, rbx, rbp;
    std::uint64_t return_address;
};

// It has been preempted in a section, or A-RCU wants to know of each switch.
void note_readers(Execution& execution) {
    std::uint32_t const sections = execution.readers.sections;
    if (sections != 0 && sections % 2 == 0) count_section(execution);
    note_nest(execution);
}

// To run(), which tells why.
void leave_for(Stop why, CoreLocal& local) {
    disable_interrupts();
    local.was_preempted = why == Stop::Preempted; // not before: the timer may come and do the same
    leave_execution(local);
    enable_interrupts();
}

} // namespace

std::size_t vector_state_bytes() {
    constexpr std::size_t legacy_bytes = 512; // FXSAVE's
    return features().xsave ? cpuid(0xd).ebx : legacy_bytes;
}

void prepare(Execution& execution, std::uint64_t stack_top, void (*entry)(void*), void* argument) {
    // The frame is popped whole; begin_execution then calls, which wants an aligned stack.
    std::uint64_t const at = stack_top - sizeof(SavedFrame);
    *reinterpret_cast<SavedFrame*>(at) = {.mxcsr = 0x1f80, // NOLINT(performance-no-int-to-ptr)
                                          .x87_control = 0x37f,
                                          .r15 = 0,
                                          .r14 = 0,
                                          .r13 = reinterpret_cast<std::uint64_t>(entry),
                                          .r12 = reinterpret_cast<std::uint64_t>(argument),
                                          .rbx = 0,
                                          .rbp = 0, // the end of its backtraces
                                          .return_address = reinterpret_cast<std::uint64_t>(begin_execution)};
    execution.stack_pointer = at;
}

Stop run(Execution& execution, Cycles until) {
    CoreLocal& local = core_local();
    disable_interrupts();
    // What an interrupt that wants the core back has left while no thread ran, as in a thread's call: it does nothing
    // then, and no other one comes before the slice's end.
    constexpr auto ends_slices =
        static_cast<std::uint32_t>(Attention::Hurry) | static_cast<std::uint32_t>(Attention::Timer);
    if ((local.attention.load(std::memory_order_relaxed) & ends_slices) != 0) [[unlikely]] {
        enable_interrupts();
        return Stop::Preempted;
    }
    local.running = &execution;
    local.slice_end = until;
    local.was_preempted = false;
    set_timer(local);
    // Each has its own count of sections: the body below, which may be in some, and the thread.
    ReaderWords const below = std::exchange(local.readers, execution.readers);
    switch_stack(&local.own_stack_pointer, execution.stack_pointer);
    execution.readers = std::exchange(local.readers, below);
    if (execution.readers.any() || below.any()) [[unlikely]]
        note_readers(execution);
    bool const preempted = local.was_preempted; // before another one runs
    enable_interrupts();
    return preempted ? Stop::Preempted : Stop::Left;
}

std::size_t trace(Execution const& execution, std::span<std::uintptr_t> addresses) {
    auto const* const saved =
        reinterpret_cast<SavedFrame const*>(execution.stack_pointer); // NOLINT(performance-no-int-to-ptr)
    std::uint64_t address = saved->return_address;
    std::uint64_t rbp = saved->rbp;
    bool is_return_address = rbp != 0; // else it has not begun
    std::uint64_t caller = 0;          // of a function that has no frame yet
    std::size_t count = 0;
    while (count < addresses.size() && is_code(address)) {
        // Where a call was a function's end, it returns to the next function.
        addresses[count++] = address - (is_return_address ? 1 : 0);
        if (caller != 0 && count < addresses.size() && is_code(caller)) addresses[count++] = caller - 1;
        caller = 0;
        if (!stacks::containing(rbp, 2 * sizeof(std::uint64_t))) break;
        auto const* const frame = reinterpret_cast<std::uint64_t const*>(rbp); // NOLINT(performance-no-int-to-ptr)
        // What the interrupt's stub has saved lies above the handler's return address.
        std::uint64_t const above = rbp + 2 * sizeof(std::uint64_t);
        is_return_address = find_symbol(frame[1]).name != "interrupt_common";
        if (is_return_address) {
            address = frame[1];
            bool const is_last = frame[0] <= rbp;
            rbp = is_last ? 0 : frame[0];
        } else if (stacks::containing(above, sizeof(InterruptFrame))) {
            auto const* const taken =
                reinterpret_cast<InterruptFrame const*>(above); // NOLINT(performance-no-int-to-ptr)
            address = taken->rip;
            rbp = taken->rbp;
            // Before its first instruction (push %rbp), or behind it, rbp is still its caller's, and so is the frame.
            std::uint64_t const instructions = find_symbol(address).offset;
            if (instructions <= 1 && stacks::containing(taken->rsp, 2 * sizeof(std::uint64_t)))
                caller = reinterpret_cast<std::uint64_t const*>(
                    taken->rsp)[instructions]; // NOLINT(performance-no-int-to-ptr)
        } else {
            break;
        }
    }
    return count;
}

void leave() {
    CoreLocal& local = core_local();
    expect(local.preemption_holds == 0, "a thread that holds a spin lock must not wait");
    leave_for(Stop::Left, local);
}

} // namespace mxk::arch

namespace mxk {

// The interrupt handler only reads the count, and another thread of the core leaves it as it was: so plain steps do.

void hold_preemption() {
    ++arch::core_local().preemption_holds;
    asm volatile("" ::: "memory"); // what is held comes after
}

void release_preemption() {
    asm volatile("" ::: "memory");
    arch::CoreLocal& local = arch::core_local();
    if (--local.preemption_holds != 0 || !local.preemption_is_due) [[likely]]
        return;
    local.preemption_is_due = false;
    if (local.running == nullptr) return;
    arch::leave_for(arch::Stop::Preempted, local);
}

HeldLocks& held_locks() {
    arch::CoreLocal& local = arch::core_local();
    return local.running != nullptr ? local.running->locks : local.own_locks;
}

} // namespace mxk
