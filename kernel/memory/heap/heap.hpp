// Memory of any size, on the caller's node: of the heap of the core that asks (core_heap.hpp). What was allocated may
// be given back on any core; it goes back to where it came from. In the kernel, `new` and `delete` are these; a Linux
// program has std::pmr::memory_resource besides (main/library/heap_resource.hpp).
//
//     void* const place = heap::allocate(bytes);      not zeroed; null: no node has the memory
//     heap::deallocate(place, bytes);                 the same size
//
// Tasks take no lock and no atomic operation for it. Threads may call them, too: on metal a thread is not preempted
// meanwhile; on Linux, where it may run at the same time as its core, it allocates from a heap that all such threads
// share under a lock. Not interrupt handlers.
//
// Builds that check locks check the heap as well (checked_heap.hpp).
#pragma once

#include <cstddef>

#include "arch/core_local.hpp"
#include "kernel/memory/heap/checked_heap.hpp"
#include "kernel/memory/heap/core_heap.hpp"

namespace mxk::heap {

// For callers that are no task: outside_heap.cpp.
[[nodiscard]] void* allocate_outside(std::size_t bytes, std::size_t alignment);
void deallocate_outside(void* object, std::size_t bytes, std::size_t alignment);

// Without checks, in any build.
[[nodiscard, gnu::always_inline]] inline void* allocate_unchecked(std::size_t bytes, std::size_t alignment) {
    auto* const own = static_cast<CoreHeap*>(arch::heap_of_task());
    if (own == nullptr) [[unlikely]]
        return allocate_outside(bytes, alignment);
    return own->allocate(bytes, alignment);
}
[[gnu::always_inline]] inline void deallocate_unchecked(void* object, std::size_t bytes, std::size_t alignment) {
    auto* const own = static_cast<CoreHeap*>(arch::heap_of_task());
    if (own == nullptr) [[unlikely]]
        return deallocate_outside(object, bytes, alignment);
    own->deallocate(object, bytes, alignment);
}

// `alignment`: a power of two; above a cache line, the object takes whole frames, and no memory has more than 1 GiB.
// Blocks only where a superblock or a large object is taken.
[[nodiscard, gnu::always_inline]] inline void* allocate(std::size_t bytes, std::size_t alignment = min_alignment) {
    if constexpr (is_checked) return allocate_checked(bytes, alignment);
    return allocate_unchecked(bytes, alignment);
}
// What allocate() gave, with the same bytes and alignment.
[[gnu::always_inline]] inline void deallocate(void* object, std::size_t bytes, std::size_t alignment = min_alignment) {
    if constexpr (is_checked) return deallocate_checked(object, bytes, alignment);
    deallocate_unchecked(object, bytes, alignment);
}

} // namespace mxk::heap
