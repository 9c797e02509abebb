// oneTBB's scalable allocator as a kind of `bench heap`. No part of the library that tables and locks are compared
// with: it is loaded like the other allocators.
#include "bench/heap/heap_kind.hpp"
#include "peers/heap_library.hpp"

namespace mxk::bench {
namespace {

constinit HeapLibrary library("libtbbmalloc.so.2", "libtbbmalloc2");

struct TbbHeap {
    static void* allocate(std::size_t bytes) { return malloc_(bytes); }
    static void deallocate(void* place, std::size_t /*bytes*/) { free_(place); }
    static Result<void> open() {
        MXK_TRY(library.open());
        MXK_TRY(library.find("scalable_malloc", malloc_));
        return library.find("scalable_free", free_);
    }

    static inline void* (*malloc_)(std::size_t) = nullptr;
    static inline void (*free_)(void*) = nullptr;
};

constexpr HeapKind tbbmalloc{.name = "tbbmalloc",
                             .summary = "oneTBB: scalable_malloc and scalable_free",
                             .library = "oneTBB",
                             .open = &TbbHeap::open,
                             .print_version = [](TextSink& out) { library.print_file(out); },
                             .workloads = heap_workloads<TbbHeap>};
MXK_REGISTER(mxk_heap_kinds, HeapKind, tbbmalloc);

} // namespace
} // namespace mxk::bench
