// Asking for a cache line ahead of its use. Only hints: never fault, never wait.
#pragma once

#include "base/prefetch_plan.hpp"

namespace mxk {

// For reading, by this hint. GCC takes a function that does nothing else for one without effect, and leaves out its
// calls and those of its callers unless it inlines them early enough (seen with GCC 12 at -O2): the empty assembly is
// an effect.
template <PrefetchHint hint> [[gnu::always_inline]] inline void prefetch_by(void const* address) {
    constexpr int locality = hint == PrefetchHint::T0   ? 3
                             : hint == PrefetchHint::T1 ? 2
                             : hint == PrefetchHint::T2 ? 1
                                                        : 0;
    __builtin_prefetch(address, 0, locality);
    asm volatile("");
}

// A line of a table, some dozen operations ahead. For reading also where it will be written: what belongs to one core
// no other one has, so that the first write need not ask for the right to.
inline void prefetch_far(void const* address) {
    PrefetchHint const hint = prefetch_plan.hint;
    if (hint == PrefetchHint::T2) [[likely]]
        prefetch_by<PrefetchHint::T2>(address);
    else if (hint == PrefetchHint::T1)
        prefetch_by<PrefetchHint::T1>(address);
    else if (hint == PrefetchHint::T0)
        prefetch_by<PrefetchHint::T0>(address);
    else
        prefetch_by<PrefetchHint::Nta>(address);
}

// PREFETCHT0: a line that other caches may keep, and that is wanted soon.
inline void prefetch_for_read(void const* address) {
    prefetch_by<PrefetchHint::T0>(address);
}

// PREFETCHW (SDM volume 2B): a line that no other cache keeps, so that the write does not have to fetch the right to it
// once more: between two cores that is a transfer as long as the first. By name, because compilers give the other
// instruction unless told that every processor has this one; those before 2014 that lack it do nothing.
inline void prefetch_for_write(void const* address) {
    asm volatile("prefetchw (%0)" : : "r"(address));
}

} // namespace mxk
