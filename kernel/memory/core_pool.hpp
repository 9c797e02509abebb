// Small objects of one core that travel: tasks, frames of coroutines. No lock and no atomic, because only its core
// touches the pool. Eight sizes (1 to 16 cache lines, aligned to one). An object may be freed on another core than it
// came from: it then belongs to the pool of the core that freed it, and is the next one that this core takes. What a
// pool has too much of, since a stream of objects flows one way, it gives back to the core's heap, by which it comes
// home (kernel/memory/heap): of each size a pool keeps no more than 256 objects.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>

#include "base/panic.hpp"
#include "base/units.hpp"
#include "kernel/memory/heap/core_heap.hpp"

namespace mxk {

// Aligned, so that the pools of two cores share no cache line.
class alignas(cache_line_bytes) CorePool {
  public:
    static constexpr std::size_t smallest_bytes = 64;
    static constexpr std::size_t largest_bytes = 1024;
    static constexpr std::uint32_t max_kept = 256; // objects of each size

    explicit CorePool(heap::CoreHeap& heap)
        : heap_(heap) {}
    CorePool(CorePool const&) = delete;
    CorePool& operator=(CorePool const&) = delete;

    // 1 to 1024 bytes, not zeroed; nullptr when no node has memory left. Its core only; blocks (for a node's lock) only
    // when the heap needs a superblock.
    [[nodiscard]] void* allocate(std::size_t bytes) {
        Size& size = size_for(bytes);
        if (size.freed == nullptr) [[unlikely]]
            return take_more(size);
        FreeObject* const object = size.freed;
        size.freed = object->next;
        --size.count;
        return object;
    }

    // What any pool's allocate() gave, with the same `bytes`. Its core only, never blocks.
    void free(void* place, std::size_t bytes) {
        Size& size = size_for(bytes);
        expect(place != nullptr && is_aligned(reinterpret_cast<std::uintptr_t>(place), smallest_bytes),
               "a pool object starts at a cache line");
        expect(place != size.freed, "a pool object was freed twice");
        size.freed = new (place) FreeObject{size.freed};
        if (++size.count == max_kept / 2) [[unlikely]]
            put_aside(size);
    }

    // Objects allocated here less objects freed here: negative on a core that frees what others allocate; the sum over
    // all pools is what is in use. Its core only, or any while its core is still.
    [[nodiscard]] std::int64_t in_use() const;
    // What it keeps goes back to the heap. Its core only.
    void trim();

  private:
    struct FreeObject {
        FreeObject* next;
    };

    // Freed objects, last in, first out: the one that is likely still cached. When there are max_kept / 2, all of them
    // are put aside together, and those that were there before go.
    struct Size {
        FreeObject* freed = nullptr;
        FreeObject* aside = nullptr;
        std::uint32_t count = 0;    // of `freed`
        std::int64_t from_heap = 0; // taken there, less given back
    };

    // In cache lines: the powers of two, and what lies in the middle between them. Objects of a power of two, when only
    // some of their lines are much used, crowd into some sets of the cache and leave the others empty.
    static constexpr std::array<std::uint8_t, 8> sizes{1, 2, 3, 4, 6, 8, 12, 16};
    static_assert(sizes.back() * smallest_bytes == largest_bytes);

    // By lines less one: the first of `sizes` that has so many.
    static constexpr auto size_of_lines = [] {
        std::array<std::uint8_t, largest_bytes / smallest_bytes> result{};
        for (std::size_t lines = 1, at = 0; lines <= result.size(); ++lines) {
            if (lines > sizes[at]) ++at;
            result[lines - 1] = static_cast<std::uint8_t>(at);
        }
        return result;
    }();

    // 0 bytes wrap to a huge number and fail like all that is too large.
    Size& size_for(std::size_t bytes) {
        std::size_t const lines_less_one = (bytes - 1) / smallest_bytes;
        expect(lines_less_one < size_of_lines.size(), "a pool object has 1 to 1024 bytes");
        return sizes_[size_of_lines[lines_less_one]];
    }

    [[nodiscard]] std::size_t bytes_of(Size const& size) const {
        return sizes[static_cast<std::size_t>(&size - sizes_.data())] * smallest_bytes;
    }
    [[nodiscard]] void* take_more(Size& size);
    void put_aside(Size& size);
    void give_back(Size& size, FreeObject* list);

    std::array<Size, sizes.size()> sizes_{};
    heap::CoreHeap& heap_;
};

} // namespace mxk
