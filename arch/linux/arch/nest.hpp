// Read sections of A-RCU, and which of them a grace period waits for (A. Hraska, "Read-Copy-Update for HelenOS", 2013):
// what there is to compare the sections of arch/sections.hpp with. Used by tasks/rcu/a_rcu.hpp. The system does not say
// whom it takes the processor away from, and no interrupt of ours looks at what it interrupts: who asks a core has all
// threads execute a fence (membarrier(2)) and looks at the words of those that live there. So nobody stands in a list,
// and a thread that was preempted in a section is asked for again until it is found outside.
#pragma once

#include <atomic>
#include <cstdint>

#include "arch/sections.hpp"

namespace mxk::arch {

// Any core, any thread that lives on one; never block. Twice the depth, as on metal.
inline void enter_nest() {
    SectionReader& reader = section_reader;
    reader.nest.store(reader.nest.load(std::memory_order_relaxed) + 2, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (reader.needs_fences) [[unlikely]]
        store_load_fence();
}
inline void leave_nest() {
    SectionReader& reader = section_reader;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    // release: what the section has read, it has read before who finds it over goes on.
    reader.nest.store(reader.nest.load(std::memory_order_relaxed) - 2, std::memory_order_release);
}

// Whether the caller, a task or a thread, is in one.
inline bool is_in_nest() {
    return section_reader.nest.load(std::memory_order_relaxed) >= 2;
}

// The grace periods' side.
namespace nests {

// The calling core's task: its own sections count from now on, or no longer.
void watch();
void ignore();

// All below: one thread at a time, which detects the end of a grace period. This one begins.
void begin(std::uint64_t number);
// Whether the core has been found quiescent since.
bool has_acknowledged(CoreId core);
// Looks. Whether nothing of it is in a section. Some microseconds.
bool ask(CoreId core);
// Whether readers stand in a list: none does.
bool await_readers(void (*last_left)());

} // namespace nests

} // namespace mxk::arch
