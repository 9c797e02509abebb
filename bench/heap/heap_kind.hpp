// The kinds of memory allocators that `bench heap` compares. Each registers itself where it is defined, with the
// bodies of the benchmarks made for it:
//
//     struct MyHeap {
//         static void* allocate(std::size_t bytes);            // null: no memory
//         static void deallocate(void* place, std::size_t bytes); // any core; the bytes that were asked for
//     };
//     constexpr HeapKind my_heap{.name = "my", .summary = "...", .workloads = heap_workloads<MyHeap>};
//     MXK_REGISTER(mxk_heap_kinds, HeapKind, my_heap);
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/registry.hpp"
#include "base/result.hpp"
#include "base/text.hpp"
#include "bench/heap/heap_bodies.hpp"
#include "kernel/memory/heap/heap_statistics.hpp"

namespace mxk::bench {

// The bodies (heap_bodies.hpp), and the allocator itself for what is not measured. Any core's task.
struct HeapWorkloads {
    void* (*allocate)(std::size_t bytes) = nullptr;
    void (*deallocate)(void* place, std::size_t bytes) = nullptr;
    void (*micro)(MicroPart& part, std::uint64_t pairs) = nullptr;
    void (*micro_watched)(MicroPart& part, std::uint64_t pairs) = nullptr;
    std::size_t (*exchange)(ExchangePart& part) = nullptr;
    void (*replace)(ReplacePart& part, std::span<LiveObject> objects, std::uint64_t replacements) = nullptr;
    void (*write)(WritePart& part, std::uint64_t objects) = nullptr;
    std::size_t (*replay)(ReplayPart& part) = nullptr;
};

template <typename A>
constexpr HeapWorkloads heap_workloads{
    .allocate = [](std::size_t bytes) -> void* { return A::allocate(bytes); },
    .deallocate = [](void* place, std::size_t bytes) { A::deallocate(place, bytes); },
    .micro = [](MicroPart& part, std::uint64_t pairs) { MicroBody<A, false>(part).run(pairs); },
    .micro_watched = [](MicroPart& part, std::uint64_t pairs) { MicroBody<A, true>(part).run(pairs); },
    .exchange = &exchange_objects<A>,
    .replace = &replace_objects<A>,
    .write = &write_objects<A>,
    .replay = &replay_steps<A>,
};

struct HeapKind {
    std::string_view name;
    std::string_view summary;   // a line
    std::string_view library{}; // of a peer that MXK's is compared with; empty: MXK's
    // Before its first use, and again before others: finds its library. Errors: it is not there. Null: nothing to do.
    Result<void> (*open)() = nullptr;
    void (*print_version)(TextSink& out) = nullptr; // once open
    // Gives back what it holds, when none of its objects is live.
    void (*close)() = nullptr;
    heap::HeapCounts (*counts)() = nullptr; // what only ours can tell
    bool is_of_a_test = false;              // not among all
    HeapWorkloads workloads{};
};

MXK_REGISTRY(mxk_heap_kinds, HeapKind, registered_heap_kinds)

} // namespace mxk::bench
