// What all benchmarks of allocators can be told.
#pragma once

#include <cstdint>

#include "bench/frame/run_options.hpp"
#include "bench/heap/heap_names.hpp"
#include "kernel/console/options.hpp"

namespace mxk::bench {

struct HeapOptions : CoreSetOptions {
    constexpr HeapOptions()
        : CoreSetOptions{{.repeat = 5, .warm_up = 1}, {}} {}
    HeapNames heaps{};
    std::uint64_t seed = 1;
};

// Objects in one of these benchmarks can be so large: what the bodies' words and an allocator's bins have room for.
constexpr std::uint64_t max_object_bytes = 510 * KiB;

namespace heap_option {
constexpr auto heaps =
    console::option<&HeapOptions::heaps>("heap", "allocators, with commas between (none given: all)");
constexpr auto seed = console::option<&HeapOptions::seed>("seed", "of what is drawn");
} // namespace heap_option

} // namespace mxk::bench
