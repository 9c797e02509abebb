#include "bench/frame/measured_part.hpp"

#include "arch/run_evidence.hpp"
#include "bench/frame/event_counts.hpp"

namespace mxk::bench {

void unseen_part_begins() {
    arch::evidence_part_begins();
    events_part_begins();
}

void unseen_part_ends() {
    events_part_ends();
    arch::evidence_part_ends();
}

bool are_parts_watched() {
    return arch::has_run_evidence() || are_events_counted();
}

// Functions of their own, with an address: neither inlined nor made one because they are the same.

[[gnu::noinline]] void measured_part_begins() {
    asm volatile("# begins" ::: "memory");
    unseen_part_begins();
}

[[gnu::noinline]] void measured_part_ends() {
    asm volatile("# ends" ::: "memory");
    unseen_part_ends();
}

} // namespace mxk::bench
