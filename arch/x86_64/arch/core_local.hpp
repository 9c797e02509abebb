// What belongs to the calling core: the kernel's object for it, and its attention word. The attention word is how
// interrupts and other cores speak to a core that runs tasks: the worker looks at it between two tasks (one load), and
// a core only halts while it is zero.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/lock_rank.hpp"
#include "base/units.hpp"

namespace mxk::arch {

enum class Attention : std::uint32_t {
    Wake = 1 << 0,     // another core left work in the mailbox
    Timer = 1 << 1,    // the one-shot timer fired
    Input = 1 << 2,    // the terminal has bytes
    Deferred = 1 << 3, // an interrupt handler has left something that takes a task
};

struct Execution; // arch/execution.hpp
inline constexpr Cycles never{UINT64_MAX};

struct alignas(cache_line_bytes) CoreLocal {
    CoreLocal* self = this;      // offset 0: %gs:0 gives the address of this
    void* kernel_core = nullptr; // the kernel's object for this core
    std::atomic<std::uint32_t> attention{0};
    CoreId id{};
    ApicId apic_id{};
    std::atomic<void*> deferred{nullptr}; // the kernel's: what interrupt handlers of this core have left for it

    // All below: this core and its interrupt handlers. What runs on a stack of its own (arch/execution.hpp); null: the
    // core's own.
    Execution* running = nullptr;
    std::uint64_t own_stack_pointer = 0; // while something else runs
    std::uint32_t preemption_holds = 0;
    bool preemption_is_due = false; // once nobody holds it any more
    bool was_preempted = false;     // who ran last
    // The local timer's: when to set Attention::Timer, when to preempt, and when the timer will fire.
    Cycles alarm = never;
    Cycles slice_end = never;
    Cycles timer_fires = never;
    HeldLocks own_locks{};
};

inline CoreLocal& core_local() {
    CoreLocal* local; // NOLINT(cppcoreguidelines-init-variables): set by the instruction
    asm("mov %%gs:0, %0" : "=r"(local));
    return *local;
}

// True if the calling core has something to look at. Relaxed: what the bits announce is published by other means.
inline bool needs_attention() {
    return core_local().attention.load(std::memory_order_relaxed) != 0;
}

// Takes all bits. acquire: pairs with the release in wake() and orders the caller after what was announced.
inline std::uint32_t take_attention() {
    return core_local().attention.exchange(0, std::memory_order_acquire);
}

// Halts the calling core until its attention word is not zero. Interrupts are off between the look and the halt, and
// on in the halt, so that nothing is missed.
void halt_until_attention();

// Sets Attention::Wake of another core and interrupts it. Any core; never blocks (waits up to for the local APIC to
// accept the interrupt).
void wake(CoreId core);

// Sets Attention::Timer of the calling core at this time stamp or soon after, once; `never`: not at all. Replaces what
// was set before.
void arm_timer(Cycles when);

} // namespace mxk::arch
