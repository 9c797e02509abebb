// jemalloc as a kind of `bench heap`. It keeps more for each thread than the loader has room for in a program that has
// begun, unless it was told so before: table_memory.cpp does that.
#include "bench/heap/heap_kind.hpp"
#include "peers/heap_library.hpp"

namespace mxk::bench {
namespace {

constinit HeapLibrary library("libjemalloc.so.2", "libjemalloc2");

struct JemallocHeap {
    static void* allocate(std::size_t bytes) { return malloc_(bytes); }
    static void deallocate(void* place, std::size_t bytes) { sdallocx_(place, bytes, 0); }
    static Result<void> open() {
        MXK_TRY(library.open());
        MXK_TRY(library.find("malloc", malloc_));
        MXK_TRY(library.find("mallctl", mallctl_));
        return library.find("sdallocx", sdallocx_);
    }
    static void print_version(TextSink& out) {
        char const* version = nullptr;
        std::size_t bytes = sizeof version;
        if (mallctl_("version", static_cast<void*>(&version), &bytes, nullptr, 0) == 0) out.write(version);
    }

    static inline void* (*malloc_)(std::size_t) = nullptr;
    static inline void (*sdallocx_)(void*, std::size_t, int) = nullptr;
    static inline int (*mallctl_)(char const*, void*, std::size_t*, void*, std::size_t) = nullptr;
};

constexpr HeapKind jemalloc{.name = "jemalloc",
                            .summary = "jemalloc: malloc and sdallocx",
                            .library = "jemalloc",
                            .open = &JemallocHeap::open,
                            .print_version = &JemallocHeap::print_version,
                            .workloads = heap_workloads<JemallocHeap>};
MXK_REGISTER(mxk_heap_kinds, HeapKind, jemalloc);

} // namespace
} // namespace mxk::bench
