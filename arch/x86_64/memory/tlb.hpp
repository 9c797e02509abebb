// Translations that processors keep (TLB) of pages that are mapped no more (SDM vol. 3A 4.10.5: propagation of
// paging-structure changes to several processors).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace mxk::arch {

struct TranslationCounts; // arch/inspect.hpp

// Every core forgets what it knows of the address space; when this returns, each has. Costs an interrupt of every core,
// so once for many pages. Any core, tasks and threads, with interrupts on; blocks for a lock, and until the other cores
// have answered.
void forget_translations();

// The calling core only.
void forget_own_translations();

// Since the start. Any core.
TranslationCounts counted_translations();

// Of all cores together. relaxed: a counter, it orders nothing.
extern constinit std::atomic<std::uint64_t> own_flushes;

// How many cores have still to answer; one forget_translations() at a time.
extern constinit std::atomic<std::size_t> cores_to_answer;

} // namespace mxk::arch
