// What belongs to the calling core: the kernel's object for it, and its attention word. The attention word is how
// interrupts and other cores speak to a core that runs tasks: the worker looks at it between two tasks (one load), and
// a core only halts while it is zero.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/units.hpp"

namespace mxk::arch {

enum class Attention : std::uint32_t {
    Wake = 1 << 0,  // another core left work in the mailbox
    Timer = 1 << 1, // the one-shot timer fired
    Input = 1 << 2, // the terminal has bytes
};

struct alignas(cache_line_bytes) CoreLocal {
    CoreLocal* self = this;      // offset 0: %gs:0 gives the address of this
    void* kernel_core = nullptr; // the kernel's object for this core
    std::atomic<std::uint32_t> attention{0};
    CoreId id{};
    ApicId apic_id{};
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

// Sets Attention::Wake of another core and interrupts it. Any core; never blocks (waits at most for the local APIC to
// accept the interrupt).
void wake(CoreId core);

// The local one-shot timer of the calling core: sets Attention::Timer after about `delay`.
void arm_timer(Nanoseconds delay);

} // namespace mxk::arch
