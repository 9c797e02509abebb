// The one fence that x86-64 needs: it orders a store before a later load. Compiled to a locked instruction on the
// stack, which is faster than MFENCE and orders all ordinary memory the same way (SDM volume 3A, 9.2.3 "locked
// instructions have a total order"). Not std::atomic_thread_fence, which ThreadSanitizer does not know: it need not
// know this one, since what it watches, who has synchronised with whom, goes through the atomics on both sides.
#pragma once

namespace mxk {

inline void store_load_fence() {
    asm volatile("lock orl $0, (%%rsp)" : : : "memory", "cc");
}

// The same where a locked instruction, an atomic's exchange or the like, stands between the store and the load anyway:
// it is that fence, and only the compiler has to be told (SDM volume 3A, 9.2.3).
inline void store_load_fence_was_there() {
    asm volatile("" : : : "memory");
}

} // namespace mxk
