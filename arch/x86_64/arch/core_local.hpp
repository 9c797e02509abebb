// What belongs to the calling core: the kernel's object for it, its attention word (arch/attention.hpp), and what runs
// on it.
#pragma once

#include <atomic>
#include <cstdint>

#include "arch/cpu.hpp"
#include "base/lock_rank.hpp"
#include "base/units.hpp"

namespace mxk::arch {

struct Execution; // arch/execution.hpp

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
    bool was_preempted = false;     // what ran last
    // The local timer's: when to set Attention::Timer, when to preempt, and when the timer will fire.
    Cycles alarm = never;
    Cycles slice_end = never;
    Cycles timer_fires = never;
    HeldLocks own_locks{};
    std::uint64_t unclaimed_interrupts = 0; // that nothing handled
    std::uint32_t unclaimed_vector = 0;     // the last one's
    std::uint32_t sections = 0;             // protected sections that what runs now is in
    std::uint32_t threads_in_sections = 0;  // of this core, which do not run now
};

inline CoreLocal& core_local() {
    CoreLocal* local; // NOLINT(cppcoreguidelines-init-variables): set by the instruction
    asm("mov %%gs:0, %0" : "=r"(local));
    return *local;
}

// Whether the caller is a task (or the worker), and not a thread.
inline bool runs_task() {
    return core_local().running == nullptr;
}

// Protected sections: see kernel/protected_section.hpp. Plain steps do: a thread that is preempted between them finds
// the count as it was when it runs again.
inline void enter_section() {
    ++core_local().sections;
    asm volatile("" ::: "memory"); // what is protected comes after
}
inline void leave_section() {
    asm volatile("" ::: "memory");
    --core_local().sections;
}
// Whether the calling core's task is in one.
inline bool task_in_section() {
    return core_local().sections != 0;
}
// Whether a thread of the calling core is in one. Asked by the worker, while none of them runs.
inline bool threads_in_sections() {
    return core_local().threads_in_sections != 0;
}

} // namespace mxk::arch
