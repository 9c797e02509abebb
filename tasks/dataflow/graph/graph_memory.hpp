// Where envelopes and columns get their memory: from the calling core's heap. A comparison of schedulers with their
// allocators (Falt 2010, section 10.1) can have it from a general-purpose allocator, all of it and for some time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/units.hpp"
#include "kernel/memory/heap/heap.hpp"

namespace mxk::dataflow {

// Of others: any core's task calls it; null: no memory. Aligned to 16 bytes.
struct GeneralAllocator {
    void* (*allocate)(std::size_t bytes) = nullptr;
    void (*deallocate)(void* place, std::size_t bytes) = nullptr;
};

namespace graph_memory {

namespace detail {
inline std::atomic<GeneralAllocator const*> general{nullptr};
[[gnu::noinline]] inline void* allocate_from(GeneralAllocator const& other, std::size_t bytes) {
    void* const place = other.allocate(bytes + cache_line_bytes);
    if (place == nullptr) return nullptr;
    std::uintptr_t const aligned =
        align_down(reinterpret_cast<std::uintptr_t>(place) + cache_line_bytes, cache_line_bytes);
    auto* const result = reinterpret_cast<void**>(aligned);
    result[-1] = place; // there is room: both are aligned to 16
    return reinterpret_cast<void*>(aligned);
}
[[gnu::noinline]] inline void deallocate_to(GeneralAllocator const& other, void* place, std::size_t bytes) {
    other.deallocate(static_cast<void**>(place)[-1], bytes + cache_line_bytes);
}
} // namespace detail

// From now on; null: the heaps again. The console's task, while there is no envelope and no column.
inline void use(GeneralAllocator const* general) {
    detail::general.store(general, std::memory_order_release);
}

// Whether memory that is allocated now is not the heaps' of cores, so that it has no node. Any core.
inline bool is_general() {
    return detail::general.load(std::memory_order_acquire) != nullptr;
}

// As heap::allocate(), aligned to up to a cache line.
[[nodiscard]] inline void* allocate(std::size_t bytes, std::size_t alignment = heap::min_alignment) {
    auto const* const general = detail::general.load(std::memory_order_acquire);
    if (general != nullptr) [[unlikely]]
        return detail::allocate_from(*general, bytes);
    return heap::allocate(bytes, alignment);
}
inline void deallocate(void* place, std::size_t bytes, std::size_t alignment = heap::min_alignment) {
    auto const* const general = detail::general.load(std::memory_order_acquire);
    if (general != nullptr) [[unlikely]]
        return detail::deallocate_to(*general, place, bytes);
    heap::deallocate(place, bytes, alignment);
}

} // namespace graph_memory

} // namespace mxk::dataflow
