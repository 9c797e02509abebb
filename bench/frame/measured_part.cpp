#include "bench/frame/measured_part.hpp"

namespace mxk::bench {

// Functions of their own, with an address: neither inlined nor left out, nor made one because they are the same.

[[gnu::noinline, gnu::noipa]] void measured_part_begins() {
    asm volatile("# begins" ::: "memory");
}

[[gnu::noinline, gnu::noipa]] void measured_part_ends() {
    asm volatile("# ends" ::: "memory");
}

} // namespace mxk::bench
