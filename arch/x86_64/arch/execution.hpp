// What runs on a stack of its own: threads. The core runs one for a while, then goes on where it was; the end of its
// time, by the local timer's interrupt, takes it away from any instruction. What the core does on its own stack (tasks)
// is never preempted. Of the registers, who goes by itself has those saved that a function call keeps; who is
// interrupted has all of them saved, the vector registers by XSAVE (SDM vol. 1 section 13.7). The core's own need no
// saving: it goes by itself. Everything here: the calling core.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "arch/core_local.hpp"
#include "base/linked_list.hpp"
#include "base/lock_rank.hpp"

namespace mxk::arch {

struct Execution {
    std::uint64_t stack_pointer = 0; // while it does not run
    std::byte* vector_state = nullptr;
    HeldLocks locks{};
    ReaderWords readers{};           // CoreLocal::readers, while it does not run
    std::uint32_t section_epoch = 0; // that it is counted for, if it is
    ListLinks<Execution> nest_links{};
    bool is_awaited_nest = false; // which of the two lists of arch/nest.hpp it is in, if in one
};

// Of Execution::vector_state, which is aligned to cache lines. All bytes 0 at first.
std::size_t vector_state_bytes();

// It will begin with entry(argument), which must not return. `stack_top`: 16-byte aligned.
void prepare(Execution& execution, std::uint64_t stack_top, void (*entry)(void*), void* argument);

// What runs now; null: the core's own stack, that is, a task.
inline Execution* running() {
    return core_local().running;
}

enum class Stop : std::uint8_t { Left, Preempted };

// In a task: goes to the execution, and comes back when that leaves, when `until` has passed, or when the alarm of
// arm_timer() went off (which is a Preempted before its time).
Stop run(Execution& execution, Cycles until);

// In an execution: back to the core's own stack. Returns when it is run again. Nothing may hold preemption.
void leave();

// An address in each function that one is in which does not run now, the last call first; how many those are. By frame
// pointers; of one that was preempted, where that was, behind the handler's. The core that it runs on.
std::size_t trace(Execution const& execution, std::span<std::uintptr_t> addresses);

} // namespace mxk::arch
