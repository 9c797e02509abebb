// The C library's malloc() as a kind of `bench heap`. As everywhere in this program, it asks for large pages
// (table_memory.cpp).
#include <gnu/libc-version.h>

#include <cstdlib>

#include "bench/heap/heap_kind.hpp"

namespace mxk::bench {
namespace {

// Called as by a program that is linked with it; not by name, which the compiler knows and would take calls away of.
struct SystemHeap {
    static void* allocate(std::size_t bytes) { return malloc_(bytes); }
    static void deallocate(void* place, std::size_t /*bytes*/) { free_(place); }

    static inline void* (*volatile malloc_)(std::size_t) = &std::malloc;
    static inline void (*volatile free_)(void*) = &std::free;
};

constexpr HeapKind glibc{.name = "glibc",
                         .summary = "the C library: malloc and free",
                         .library = "glibc",
                         .print_version = [](TextSink& out) { out.write(gnu_get_libc_version()); },
                         .workloads = heap_workloads<SystemHeap>};
MXK_REGISTER(mxk_heap_kinds, HeapKind, glibc);

} // namespace
} // namespace mxk::bench
