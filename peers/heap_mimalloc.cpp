// mimalloc as a kind of `bench heap`.
#include "bench/heap/heap_kind.hpp"
#include "peers/heap_library.hpp"

namespace mxk::bench {
namespace {

constinit HeapLibrary library("libmimalloc.so.2", "libmimalloc2.0");

struct MimallocHeap {
    static void* allocate(std::size_t bytes) { return malloc_(bytes); }
    static void deallocate(void* place, std::size_t bytes) { free_size_(place, bytes); }
    static Result<void> open() {
        MXK_TRY(library.open());
        MXK_TRY(library.find("mi_malloc", malloc_));
        return library.find("mi_free_size", free_size_);
    }

    static inline void* (*malloc_)(std::size_t) = nullptr;
    static inline void (*free_size_)(void*, std::size_t) = nullptr;
};

constexpr HeapKind mimalloc{.name = "mimalloc",
                            .summary = "mimalloc: mi_malloc and mi_free_size",
                            .library = "mimalloc",
                            .open = &MimallocHeap::open,
                            .print_version = [](TextSink& out) { library.print_file(out); },
                            .workloads = heap_workloads<MimallocHeap>};
MXK_REGISTER(mxk_heap_kinds, HeapKind, mimalloc);

} // namespace
} // namespace mxk::bench
