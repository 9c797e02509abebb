// Read sections of A-RCU, and which of them a grace period waits for (A. Hraska, "Read-Copy-Update for HelenOS", 2013):
// what there is to compare the sections of arch/sections.hpp with. Used by tasks/rcu/a_rcu.hpp.
//
// ReaderWords::nest is twice the depth; its first bit says that the thread was preempted in the section and stands in
// one of two lists: that of the readers which the grace period under way waits for, if its core has not acknowledged
// this one yet, else that of those which may hold up the next one. Leaving looks whether that bit is all that is left.
// A core acknowledges when it is asked, by an interrupt, and is in no section; or when it goes from a thread to
// something else.
#pragma once

#include <cstddef>
#include <cstdint>

#include "arch/core_local.hpp"

namespace mxk::arch {

struct Execution;

// Of a thread that stands in a list and has left the outermost one; interrupt handlers, too.
void leave_listed_nest();

// What runs now, on any core, in interrupt handlers too; never block. Each instruction is one step to interrupts.
inline void enter_nest() {
    asm volatile("addl $2, %%gs:%c0" : : "i"(offsetof(CoreLocal, readers.nest)) : "memory", "cc");
}
inline void leave_nest() {
    asm goto("subl $2, %%gs:%c0\n\tcmpl $1, %%gs:%c0\n\tje %l[listed]"
             :
             : "i"(offsetof(CoreLocal, readers.nest))
             : "memory", "cc"
             : listed);
    return;
listed:
    leave_listed_nest();
}

// In a core's own word, while its switches are watched. No thread has it.
inline constexpr std::uint32_t nest_is_watched = std::uint32_t{1} << 31;

// Whether the caller, a task or a thread, is in one.
inline bool is_in_nest() {
    return (core_local().readers.nest & ~nest_is_watched) >= 2;
}

// A thread has given the core away; with interrupts off, after it.
void note_nest(Execution& execution);
// A thread that ends: it is in none any more. How many it was in. The worker, after it has run.
std::uint32_t forget_nest(Execution& execution);

// The grace periods' side.
namespace nests {

// The calling core's task: each of its switches acknowledges from now on, or no longer.
void watch();
void ignore();

// All below: one thread at a time, which detects the end of a grace period. This one begins: readers that were taken
// away before are waited for.
void begin(std::uint64_t number);
// Whether the core has acknowledged the newest.
bool has_acknowledged(CoreId core);
// Asks it, and waits for its answer. Whether it is in no section, and so has acknowledged.
bool ask(CoreId core);
// When all cores have acknowledged. Whether readers are left that were preempted and that this one waits for; then
// last_left() is called when the last one of them has left, with interrupts off.
bool await_readers(void (*last_left)());

} // namespace nests

} // namespace mxk::arch
