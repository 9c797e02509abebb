#include "bench/frame/measured_part.hpp"

#include "arch/run_evidence.hpp"

namespace mxk::bench {

// Functions of their own, with an address: neither inlined nor made one because they are the same.

[[gnu::noinline]] void measured_part_begins() {
    asm volatile("# begins" ::: "memory");
    arch::evidence_part_begins();
}

[[gnu::noinline]] void measured_part_ends() {
    asm volatile("# ends" ::: "memory");
    arch::evidence_part_ends();
}

} // namespace mxk::bench
