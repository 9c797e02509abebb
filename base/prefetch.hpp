// Asking for a cache line ahead of its use. Only hints: never fault, never wait.
#pragma once

namespace mxk {

// PREFETCHT0 (SDM volume 2B): a line that other caches may keep.
inline void prefetch_for_read(void const* address) {
    __builtin_prefetch(address, 0);
}

// PREFETCHW (SDM volume 2B): a line that no other cache keeps, so that the write does not have to fetch the right to it
// once more: between two cores that is a transfer as long as the first. By name, because compilers give the other
// instruction unless told that every processor has this one; those before 2014 that lack it do nothing.
inline void prefetch_for_write(void const* address) {
    asm volatile("prefetchw (%0)" : : "r"(address));
}

} // namespace mxk
