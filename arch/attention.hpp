// The attention word of a core: how interrupts, other cores and other threads speak to a core that runs tasks. The
// worker looks at it between two tasks (one load), and a core only halts while it is zero. The word itself is in
// CoreLocal (arch/core_local.hpp), which each platform has of its own.
#pragma once

#include <atomic>
#include <cstdint>

#include "arch/core_local.hpp"
#include "arch/cpu.hpp"
#include "base/units.hpp"

namespace mxk::arch {

enum class Attention : std::uint32_t {
    Wake = 1 << 0,      // another core left work in the mailbox
    Timer = 1 << 1,     // the one-shot timer fired
    Input = 1 << 2,     // the terminal has bytes
    Deferred = 1 << 3,  // an interrupt handler has left something that takes a task
    Call = 1 << 4,      // another core wants a function called (kernel/remote_call.hpp)
    Epoch = 1 << 5,     // somebody waits for this core's next epoch (tasks/rcu/core_epoch.hpp)
    Unclaimed = 1 << 6, // an interrupt came that nothing handles (metal: CoreLocal)
    Grace = 1 << 7,     // a grace period has begun, or one that this core waits for has ended (kernel/sync/rcu)
    Hurry = 1 << 8,     // a thread that runs is to be interrupted for what is announced (metal)
    Heap = 1 << 9,      // other cores have sent back much that was allocated here (kernel/memory/heap)
};

// True if the calling core has something to look at. Relaxed: what the bits announce is published by other means.
inline bool needs_attention() {
    return core_local().attention.load(std::memory_order_relaxed) != 0;
}

// Takes all bits. acquire: pairs with the release in notify() and orders the caller after what was announced.
inline std::uint32_t take_attention() {
    return core_local().attention.exchange(0, std::memory_order_acquire);
}

// Halts the calling core until its attention word is not zero. Nothing is missed: a bit that is set between the look at
// the word and the halt ends the halt.
void halt_until_attention();

// The two halves of notify(), for a caller that knows whether the core halts. leave_word() sets a bit of its attention
// word: a core that is not halted sees it before it halts; what the caller has written before is visible to the core
// when it has taken the bit. True if no bit was set before: any other means that the core is awake, or that somebody
// ends its halt. A caller that relies on it being awake must call end_halt() if it then finds that it may be halted, or
// nobody would. Any core, on Linux any thread; never block (on metal end_halt() waits for the local APIC to accept the
// interrupt).
bool leave_word(CoreId core, Attention what);
void end_halt(CoreId core);

// Sets a bit of a core's attention word and ends its halt. As these.
inline void notify(CoreId core, Attention what) {
    if (leave_word(core, what)) end_halt(core);
}
inline void wake(CoreId core) {
    notify(core, Attention::Wake);
}

// Sets Attention::Timer of the calling core at this time stamp or soon after (Linux: some tens of microseconds), once;
// `never`: not at all. Replaces what was set before.
void arm_timer(Cycles when);

} // namespace mxk::arch
