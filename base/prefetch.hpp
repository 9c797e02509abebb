// Asking for a cache line ahead of its use. Only hints: never fault, never wait.
#pragma once

namespace mxk {

// PREFETCHT0 (SDM volume 2B): a line that other caches may keep. GCC takes a function that does nothing else for one
// without effect, and leaves out its calls and those of its callers unless it inlines them early enough (seen with GCC
// 12 at -O2): the empty assembly is an effect.
inline void prefetch_for_read(void const* address) {
    __builtin_prefetch(address, 0);
    asm volatile("");
}

// PREFETCHW (SDM volume 2B): a line that no other cache keeps, so that the write does not have to fetch the right to it
// once more: between two cores that is a transfer as long as the first. By name, because compilers give the other
// instruction unless told that every processor has this one; those before 2014 that lack it do nothing.
inline void prefetch_for_write(void const* address) {
    asm volatile("prefetchw (%0)" : : "r"(address));
}

} // namespace mxk
