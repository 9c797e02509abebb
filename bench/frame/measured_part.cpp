#include "bench/frame/measured_part.hpp"

namespace mxk::bench {

// Functions of their own, with an address: neither inlined nor made one because they are the same.

[[gnu::noinline]] void measured_part_begins() {
    asm volatile("# begins" ::: "memory");
}

[[gnu::noinline]] void measured_part_ends() {
    asm volatile("# ends" ::: "memory");
}

} // namespace mxk::bench
