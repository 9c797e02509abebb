#include "bench/frame/measured_part.hpp"

#include "arch/run_evidence.hpp"
#include "bench/frame/event_counts.hpp"

namespace mxk::bench {

// Functions of their own, with an address: neither inlined nor made one because they are the same.

[[gnu::noinline]] void measured_part_begins() {
    asm volatile("# begins" ::: "memory");
    arch::evidence_part_begins();
    events_part_begins();
}

[[gnu::noinline]] void measured_part_ends() {
    asm volatile("# ends" ::: "memory");
    events_part_ends();
    arch::evidence_part_ends();
}

} // namespace mxk::bench
