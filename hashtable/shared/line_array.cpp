#include "hashtable/shared/line_array.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <new>

#include "kernel/memory/node_array.hpp"

namespace mxk {

LineArray* LineArray::create(std::span<Owner const> owners, std::size_t buckets, Lines lines) {
    if (buckets > std::numeric_limits<std::size_t>::max() / 2 / sizeof(ConcurrentLine)) return nullptr;
    auto const memory =
        memory::allocate(sizeof(LineArray) + owners.size() * sizeof(Segment), alignof(LineArray), owners.front().node);
    if (!memory) return nullptr;
    auto* const array = new (static_cast<void*>(memory.value().address)) LineArray(0, buckets, memory.value());
    std::size_t const bytes = buckets * sizeof(ConcurrentLine);
    constexpr std::size_t large_page = NodeArray<ConcurrentLine>::large_page_bytes;
    for (Owner const& owner : owners) {
        auto const room = memory::allocate(bytes, bytes >= large_page ? large_page : cache_line_bytes, owner.node);
        if (!room) {
            destroy(array); // of the segments that it has
            return nullptr;
        }
        auto* const first = reinterpret_cast<ConcurrentLine*>(room.value().address);
        new (static_cast<void*>(&array->segment(array->segments_++))) Segment{first, room.value()};
        if (lines == Lines::Empty) std::uninitialized_value_construct_n(first, buckets);
    }
    return array;
}

void LineArray::destroy(LineArray* array) {
    while (array != nullptr) {
        LineArray* const next = array->next();
        for (std::size_t at = 0; at < array->segments(); ++at) memory::free(array->segment(at).memory);
        memory::Block const memory = array->memory_;
        array->~LineArray();
        memory::free(memory);
        array = next;
    }
}

rcu::Callback& LineArray::callback() {
    function = [](rcu::Callback& self) {
        auto& array = static_cast<LineArray&>(self);
        array.next_.store(nullptr, std::memory_order_relaxed); // it goes alone
        if constexpr (ConcurrentLine::is_checked) {
            for (std::size_t at = 0; at < array.segments(); ++at)
                for (std::size_t i = 0; i < array.buckets(); ++i)
                    array.segment(at).lines[i].control.store(ConcurrentLine::poison, std::memory_order_relaxed);
        }
        destroy(&array);
    };
    return *this;
}

} // namespace mxk
