// Where envelopes, columns, and what boxes keep of them get their memory: from the calling core's heap. While a query
// is monitored (query_monitor.hpp), each core adds up how much it takes. A comparison of schedulers with their
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
// Why memory is not just that of a heap: another allocator, and each monitor. None nearly always.
inline std::atomic<std::uint32_t> reasons{0};
void* allocate_in_another_way(std::size_t bytes, std::size_t alignment);
void deallocate_in_another_way(void* place, std::size_t bytes, std::size_t alignment);
} // namespace detail

// From now on; null: the heaps again. The console's task, while there is no envelope and no column.
void use(GeneralAllocator const* general);

// Whether memory that is allocated now is not the heaps' of cores, so that it has no node. Any core.
inline bool is_general() {
    return detail::general.load(std::memory_order_acquire) != nullptr;
}

// From now on until it is ended, cores add up what they take. Any thread.
void begin_counting();
void end_counting();
// Bytes that this core's tasks have taken while there was counting, less those that they have given back: of one core,
// differences of it mean something.
std::int64_t taken_here();

// As heap::allocate(), aligned to up to a cache line.
[[nodiscard]] inline void* allocate(std::size_t bytes, std::size_t alignment = heap::min_alignment) {
    if (detail::reasons.load(std::memory_order_acquire) != 0) [[unlikely]]
        return detail::allocate_in_another_way(bytes, alignment);
    return heap::allocate(bytes, alignment);
}
inline void deallocate(void* place, std::size_t bytes, std::size_t alignment = heap::min_alignment) {
    if (detail::reasons.load(std::memory_order_acquire) != 0) [[unlikely]]
        return detail::deallocate_in_another_way(place, bytes, alignment);
    heap::deallocate(place, bytes, alignment);
}

} // namespace graph_memory

} // namespace mxk::dataflow
