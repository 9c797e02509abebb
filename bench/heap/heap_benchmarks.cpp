// `bench heap`: allocators of memory, each benchmark a command below it. And MXK's allocator
// (kernel/memory/heap/).
#include "bench/heap/heap_kind.hpp"
#include "kernel/console/command.hpp"
#include "kernel/memory/heap/heap.hpp"

namespace mxk::bench {
namespace {

constexpr console::Command heap_group{.name = "heap",
                                      .summary = "memory allocators: 'bench heap' lists what there is",
                                      .parent = "bench",
                                      .nested = "benchmark"};
MXK_REGISTER(mxk_commands, console::Command, heap_group);

struct OwnHeap {
    [[gnu::always_inline]] static void* allocate(std::size_t bytes) { return heap::allocate(bytes); }
    [[gnu::always_inline]] static void deallocate(void* place, std::size_t bytes) { heap::deallocate(place, bytes); }
};
constexpr HeapKind mxk_heap{.name = "mxk",
                            .summary = "MXK: bins, blocks and superblocks of each core, frees of others in bulk",
                            .counts = &heap::counts,
                            .workloads = heap_workloads<OwnHeap>};
MXK_REGISTER(mxk_heap_kinds, HeapKind, mxk_heap);

} // namespace
} // namespace mxk::bench
