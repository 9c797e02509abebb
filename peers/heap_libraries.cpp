// The allocators of others as kinds of `bench heap`. But for the C library's, each is loaded when it is asked for, and
// not linked: all of these also define malloc() and free(), and linked would be the whole program's. What a library
// defines, it uses itself (RTLD_DEEPBIND), and nobody else does (RTLD_LOCAL).
#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <link.h>

#include <concepts>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "bench/heap/heap_kind.hpp"

namespace mxk::bench {
namespace {

struct HeapLibrary {
    char const* file;        // as the loader knows it
    std::string_view origin; // where it comes from
    char const* allocate;    // its functions
    char const* deallocate;
    char const* older = nullptr; // another file, of an older release
    void* handle = nullptr;      // until the program ends: its threads' caches are its own

    // Once is enough. Errors: why it cannot be loaded. The console's task.
    Result<void> open() {
        for (char const* const name : {file, older})
            if (handle == nullptr && name != nullptr) handle = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
        if (handle == nullptr) return Error::of("{} ({})", dlerror(), origin);
        return {};
    }
    // Its function of that name. Errors: it has none.
    template <typename Function> Result<void> find(char const* name, Function*& function) const {
        function = reinterpret_cast<Function*>(dlsym(handle, name));
        if (function == nullptr) return Error::of("{} has no {}", file, name);
        return {};
    }
    // The file that it is, which has the version in its name. Once open.
    void print_file(TextSink& out) const {
        link_map const* map = nullptr;
        if (dlinfo(handle, RTLD_DI_LINKMAP, reinterpret_cast<void*>(&map)) != 0) return;
        std::error_code error;
        auto const path = std::filesystem::canonical(map->l_name, error);
        out.write(error ? std::string(file) : path.filename().string());
    }
};

// Free: what its deallocation takes besides the place: nothing, the bytes, or flags behind those.
template <HeapLibrary& library, typename Free> struct LoadedHeap {
    static void* allocate(std::size_t bytes) { return malloc_(bytes); }
    static void deallocate(void* place, [[maybe_unused]] std::size_t bytes) {
        if constexpr (std::invocable<Free, void*, std::size_t, int>)
            free_(place, bytes, 0);
        else if constexpr (std::invocable<Free, void*, std::size_t>)
            free_(place, bytes);
        else
            free_(place);
    }
    static Result<void> open() {
        MXK_TRY(library.open());
        MXK_TRY(library.find(library.allocate, malloc_));
        return library.find(library.deallocate, free_);
    }
    static constexpr HeapKind kind(std::string_view name, std::string_view summary, std::string_view vendor) {
        return {.name = name,
                .summary = summary,
                .library = vendor,
                .open = &LoadedHeap::open,
                .print_version = [](TextSink& out) { library.print_file(out); },
                .workloads = heap_workloads<LoadedHeap>};
    }

    static inline void* (*malloc_)(std::size_t) = nullptr;
    static inline Free* free_ = nullptr;
};

// It keeps more for each thread than the loader has room for in a program that has begun, unless it was told so before:
// table_memory.cpp does that.
constinit HeapLibrary jemalloc_library{"libjemalloc.so.2", "Debian: libjemalloc2", "malloc", "sdallocx"};
constexpr HeapKind jemalloc = [] {
    using Heap = LoadedHeap<jemalloc_library, void(void*, std::size_t, int)>;
    HeapKind kind = Heap::kind("jemalloc", "jemalloc: malloc and sdallocx", "jemalloc");
    kind.print_version = [](TextSink& out) {
        int (*control)(char const*, void*, std::size_t*, void*, std::size_t) = nullptr;
        char const* version = nullptr;
        std::size_t bytes = sizeof version;
        if (jemalloc_library.find("mallctl", control) &&
            control("version", static_cast<void*>(&version), &bytes, nullptr, 0) == 0)
            out.write(version);
    };
    return kind;
}();
MXK_REGISTER(mxk_heap_kinds, HeapKind, jemalloc);

constinit HeapLibrary mimalloc_library{"libmimalloc.so.3", "Debian: libmimalloc2.0 or libmimalloc3", "mi_malloc",
                                       "mi_free_size", "libmimalloc.so.2"};
constexpr HeapKind mimalloc = LoadedHeap<mimalloc_library, void(void*, std::size_t)>::kind(
    "mimalloc", "mimalloc: mi_malloc and mi_free_size", "mimalloc");
MXK_REGISTER(mxk_heap_kinds, HeapKind, mimalloc);

constinit HeapLibrary tbb_library{"libtbbmalloc.so.2", "Debian: libtbbmalloc2", "scalable_malloc", "scalable_free"};
constexpr HeapKind tbbmalloc =
    LoadedHeap<tbb_library, void(void*)>::kind("tbbmalloc", "oneTBB: scalable_malloc and scalable_free", "oneTBB");
MXK_REGISTER(mxk_heap_kinds, HeapKind, tbbmalloc);

constinit HeapLibrary snmalloc_library{"libsnmalloc.so", "make snmalloc, which needs cargo", "snmalloc_allocate",
                                       "snmalloc_deallocate"};
constexpr HeapKind snmalloc = [] {
    HeapKind kind = LoadedHeap<snmalloc_library, void(void*, std::size_t)>::kind(
        "snmalloc", "snmalloc: sn_malloc and sn_rust_dealloc", "snmalloc");
    kind.print_version = [](TextSink& out) {
        char const* (*version)() = nullptr;
        if (snmalloc_library.find("snmalloc_version", version)) out.write(version());
    };
    return kind;
}();
MXK_REGISTER(mxk_heap_kinds, HeapKind, snmalloc);

// The C library's: as everywhere in this program, it asks for large pages (table_memory.cpp). Called as by a program
// that is linked with it; not by name, which the compiler knows and would take calls away of.
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
