// What a core's heap needs to know about its memory: small arrays that are made once and stay, one behind the other in
// frames of its node.
#pragma once

#include <array>
#include <cstddef>
#include <new>
#include <span>

#include "base/units.hpp"
#include "kernel/memory/memory.hpp"

namespace mxk::heap {

// Its core only; blocks only as memory::allocate() does. Move nowhere: what it has made stays where it is, until it
// ends.
class MetadataArena {
  public:
    explicit MetadataArena(NodeId node)
        : node_(node) {}
    ~MetadataArena();
    MetadataArena(MetadataArena const&) = delete;
    MetadataArena& operator=(MetadataArena const&) = delete;

    // `count` objects, none if there is no memory.
    template <typename T> std::span<T> make(std::size_t count) {
        static_assert(alignof(T) <= min_alignment);
        std::byte* const room = take(count * sizeof(T));
        if (room == nullptr) return {};
        auto* const first = reinterpret_cast<T*>(room);
        for (std::size_t i = 0; i < count; ++i) new (static_cast<void*>(first + i)) T();
        return {first, count};
    }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }

  private:
    static constexpr std::size_t min_alignment = 16;
    static constexpr std::size_t chunk_bytes = 32 * KiB;
    struct Chunk { // stands at the beginning of each
        Chunk* before;
        memory::Block block;
    };

    [[nodiscard]] std::byte* take(std::size_t bytes);

    NodeId node_;
    Chunk* newest_ = nullptr;
    std::byte* free_ = nullptr;
    std::size_t left_ = 0;
    std::size_t bytes_ = 0;
};

} // namespace mxk::heap
