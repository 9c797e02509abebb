// Small objects of one core, fast: no lock and no atomic, because only its core touches the pool. Eight sizes (1 to 16
// cache lines, aligned to one), each carved from 64 KiB slabs of the core's node. An object may be freed on another
// core than it came from: it then belongs to the pool of the core that freed it. Slabs are never given back and nothing
// is balanced between pools: a stream of objects that always flows one way fills the receiver's pool.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>

#include "base/panic.hpp"
#include "base/units.hpp"

namespace mxk {

// Aligned, so that the pools of two cores share no cache line.
class alignas(cache_line_bytes) CorePool {
  public:
    static constexpr std::size_t smallest_bytes = 64;
    static constexpr std::size_t largest_bytes = 1024;
    static constexpr std::size_t slab_bytes = 64 * KiB;

    explicit CorePool(NodeId node)
        : node_(node) {}
    CorePool(CorePool const&) = delete;
    CorePool& operator=(CorePool const&) = delete;

    // 1 to 1024 bytes, not zeroed; nullptr when no node has a slab left. Its core only; blocks (for a node's lock) only
    // when a new slab is needed, which is no more than once in 64 objects.
    [[nodiscard]] void* allocate(std::size_t bytes) {
        Size& size = size_for(bytes);
        if (size.freed == nullptr) [[unlikely]]
            return carve(size);
        FreeObject* const object = size.freed;
        size.freed = object->next;
        ++in_use_;
        return object;
    }

    // What any pool's allocate() gave, with the same `bytes`. Its core only, never blocks.
    void free(void* place, std::size_t bytes) {
        Size& size = size_for(bytes);
        expect(place != nullptr && is_aligned(reinterpret_cast<std::uintptr_t>(place), smallest_bytes),
               "a pool object starts at a cache line");
        expect(place != size.freed, "a pool object was freed twice");
        size.freed = new (place) FreeObject{size.freed};
        --in_use_;
    }

    // Objects allocated here less objects freed here: negative on a core that frees what others allocate; the sum over
    // all pools is what is in use. Its core only, or any while its core is still.
    [[nodiscard]] std::int64_t in_use() const { return in_use_; }
    [[nodiscard]] std::size_t slabs() const { return slabs_; }

  private:
    struct FreeObject {
        FreeObject* next;
    };

    struct Size {
        FreeObject* freed = nullptr;    // last in, first out: the one that is likely still cached
        std::byte* fresh = nullptr;     // the part of the newest slab that was never given out; not chained up, so that
        std::byte* fresh_end = nullptr; // taking a slab does not touch it
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

    [[nodiscard]] void* carve(Size& size);

    std::array<Size, sizes.size()> sizes_{};
    std::int64_t in_use_ = 0;
    std::size_t slabs_ = 0;
    NodeId node_;
};

} // namespace mxk
