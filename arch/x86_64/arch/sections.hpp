// Protected sections (kernel/protected_section.hpp) of what runs on this core, and when those of its threads that had
// begun before an epoch are over. Entering is one instruction, leaving one and a branch that is not taken; none is
// atomic to other cores, and none is a fence. A thread that is preempted in one is counted, once for that section,
// and counts itself off when it leaves the outermost one: so a thread that begins a new section before it is looked at
// again holds nothing up (A. Hraska, "Read-Copy-Update for HelenOS", 2013, has two lists for that).
//
// ReaderWords::sections is twice the depth, less one while what runs is counted: then the subtraction that leaves the
// outermost section borrows, which the branch sees.
#pragma once

#include <cstddef>
#include <cstdint>

#include "arch/attention.hpp"
#include "arch/core_local.hpp"
#include "base/preemption.hpp"

namespace mxk::arch {

struct Execution;

// Of a counted thread that has left the outermost one; interrupt handlers, too.
void leave_counted_section();

// What runs now, on any core, in interrupt handlers too; never block. Each instruction is one step to interrupts.
inline void enter_section() {
    asm volatile("addl $2, %%gs:%c0" : : "i"(offsetof(CoreLocal, readers.sections)) : "memory", "cc");
}
inline void leave_section() {
    asm goto("subl $2, %%gs:%c0\n\tjc %l[counted]"
             :
             : "i"(offsetof(CoreLocal, readers.sections))
             : "memory", "cc"
             : counted);
    return;
counted:
    leave_counted_section();
}

// As hold_preemption() and release_preemption() (base/preemption.hpp), without a call where one is not needed.
inline void hold_core() {
    asm volatile("incl %%gs:%c0" : : "i"(offsetof(CoreLocal, preemption_holds)) : "memory", "cc");
}
inline void release_core() {
    release_preemption();
}

// The core that the caller runs on.
inline CoreId home_core() {
    return core_local().id;
}

// Whether the caller, a task or a thread, is in one.
inline bool is_in_section() {
    return core_local().readers.sections != 0;
}

// A number of what runs now: as long as it is not preempted, nothing else runs that has the same one. Here it is the
// core's. 16 or more, and divisible by 8.
inline std::uintptr_t exclusive_id() {
    return reinterpret_cast<std::uintptr_t>(&core_local());
}

// How many sections the calling core's task is in.
inline std::uint32_t sections_of_task() {
    return core_local().readers.sections / 2;
}

// An epoch begins: those that the core's threads are in now are what it waits for. The worker, while none of them runs,
// and after the one before is over.
void begin_section_epoch();
// Whether all of these are over. If not, the last of them to leave sets Attention::Wake. The worker.
bool are_sections_over();

// Whether the thread was preempted in a section that its core's epoch waits for. Any core, for display.
bool is_awaited_reader(Execution const& execution, CoreId core);
// The thread has been preempted, or has given the core away, in a section that it is not counted for yet; with
// interrupts off.
void count_section(Execution& execution);
// Whether the calling core has threads in sections, which do not run now.
inline bool threads_in_sections() {
    auto const& counted = core_local().counted_sections;
    return counted[0] + counted[1] != 0;
}
// Whether a core may have threads that run while it halts: on metal none does.
inline bool threads_live_on(CoreId) {
    return false;
}
// The calling core is about to halt, and nothing of it is in a section: none is entered there before a handler runs,
// which ends the promise, or the core goes on. The worker.
inline void begin_quiet_halt() {
    core_local().halts_quietly.store(true, std::memory_order_seq_cst);
}
// Whether no handler has run on the core since. seq_cst. Any core, after it has found that the core halts.
bool halts_quietly(CoreId core);

// A thread that runs on this core now is preempted, so that its worker attends to what it was told before; then its
// slice goes on. A core that halts is woken. Any core, the caller's own, too; interrupt handlers, too.
void interrupt_thread(CoreId core);
// arch::notify(), and that.
inline void notify_at_once(CoreId core, Attention what) {
    leave_word(core, what);
    interrupt_thread(core); // ends a halt, too
}

// A thread that ends: it is in none any more, of A-RCU's neither. How many it was in. The worker, after it has run.
std::uint32_t forget_sections(Execution& execution);

} // namespace mxk::arch
