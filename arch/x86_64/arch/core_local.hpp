// What belongs to the calling core: the kernel's object for it, its attention word (arch/attention.hpp), and what runs
// on it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "arch/cpu.hpp"
#include "arch/event_counters.hpp"
#include "base/lock_rank.hpp"
#include "base/lock_user.hpp"
#include "base/units.hpp"

namespace mxk::arch {

struct Execution; // arch/execution.hpp

// How many sections what runs is in, of both kinds, which change hands together when it does.
struct ReaderWords {
    std::uint32_t sections = 0; // protected sections (arch/sections.hpp): twice the depth, less one if counted
    std::uint32_t nest = 0;     // sections of A-RCU (arch/nest.hpp)

    [[nodiscard]] bool any() const { return (sections | nest) != 0; }
};

struct alignas(cache_line_bytes) CoreLocal {
    CoreLocal* self = this;      // offset 0: %gs:0 gives the address of this
    void* kernel_core = nullptr; // the kernel's object for this core
    std::atomic<std::uint32_t> attention{0};
    CoreId id{};
    ApicId apic_id{};
    std::atomic<void*> deferred{nullptr}; // the kernel's: what interrupt handlers of this core have left for it
    void* heap = nullptr;                 // the kernel's: what the core allocates from

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
    LockUser lock_user{};
    std::uint64_t unclaimed_interrupts = 0; // that nothing handled
    std::uint32_t unclaimed_vector = 0;     // the last one's
    ReaderWords readers{};
    // Protected sections: the epoch that the core is in, by its last bit; how many threads are counted for each;
    // whether those of the one before are waited for.
    std::uint32_t section_epoch = 0;
    std::array<std::uint32_t, 2> counted_sections{};
    bool awaits_sections = false;
    std::atomic<bool> halts_quietly{false}; // no handler has run since the core began to halt (arch/sections.hpp)
    // A-RCU (arch/nest.hpp): the newest grace period that the core has acknowledged, written by itself; how often it
    // was asked, and has answered.
    std::atomic<std::uint64_t> nest_seen{0};
    std::atomic<std::uint32_t> nest_asked{0};
    std::atomic<std::uint32_t> nest_answered{0};
    std::atomic<bool> has_stopped{false}; // another core ends the machine
    EventPart events{};
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

// CoreLocal::heap, for a task; null for a thread.
inline void* heap_of_task() {
    CoreLocal const& local = core_local();
    return local.running == nullptr ? local.heap : nullptr;
}
// For a thread that holds preemption, too.
inline void* heap_of_core() {
    return core_local().heap;
}

} // namespace mxk::arch
