#include "tasks/dataflow/graph/graph_memory.hpp"

#include "arch/core_local.hpp"

namespace mxk::dataflow::graph_memory {
namespace {

void* allocate_from(GeneralAllocator const& other, std::size_t bytes) {
    void* const place = other.allocate(bytes + cache_line_bytes);
    if (place == nullptr) return nullptr;
    std::uintptr_t const aligned =
        align_down(reinterpret_cast<std::uintptr_t>(place) + cache_line_bytes, cache_line_bytes);
    auto* const result = reinterpret_cast<void**>(aligned);
    result[-1] = place; // there is room: both are aligned to 16
    return reinterpret_cast<void*>(aligned);
}

void add_taken(std::int64_t bytes) {
    auto* const own = static_cast<heap::CoreHeap*>(arch::heap_of_task());
    if (own != nullptr) own->taken_by_graphs += bytes;
}

} // namespace

namespace detail {

void* allocate_in_another_way(std::size_t bytes, std::size_t alignment) {
    auto const* const other = general.load(std::memory_order_acquire);
    void* const place = other != nullptr ? allocate_from(*other, bytes) : heap::allocate(bytes, alignment);
    if (place != nullptr) add_taken(static_cast<std::int64_t>(bytes));
    return place;
}

void deallocate_in_another_way(void* place, std::size_t bytes, std::size_t alignment) {
    add_taken(-static_cast<std::int64_t>(bytes));
    auto const* const other = general.load(std::memory_order_acquire);
    if (other != nullptr) return other->deallocate(static_cast<void**>(place)[-1], bytes + cache_line_bytes);
    heap::deallocate(place, bytes, alignment);
}

} // namespace detail

// acq_rel, here and below: who sees the reason sees what it stands for.
void use(GeneralAllocator const* general) {
    bool const was_used = detail::general.exchange(general, std::memory_order_acq_rel) != nullptr;
    if (general != nullptr && !was_used) begin_counting();
    if (general == nullptr && was_used) end_counting();
}

void begin_counting() {
    detail::reasons.fetch_add(1, std::memory_order_acq_rel);
}
void end_counting() {
    detail::reasons.fetch_sub(1, std::memory_order_acq_rel);
}

std::int64_t taken_here() {
    auto const* const own = static_cast<heap::CoreHeap const*>(arch::heap_of_task());
    return own != nullptr ? own->taken_by_graphs : 0;
}

} // namespace mxk::dataflow::graph_memory
