#include "kernel/memory/heap/metadata_arena.hpp"

#include <algorithm>

namespace mxk::heap {

MetadataArena::~MetadataArena() {
    while (newest_ != nullptr) {
        Chunk const chunk = *newest_;
        newest_ = chunk.before;
        memory::free(chunk.block);
    }
}

std::byte* MetadataArena::take(std::size_t bytes) {
    bytes = align_up(bytes, min_alignment);
    if (bytes > left_) { // what is left of the chunk before is lost
        constexpr std::size_t head_bytes = align_up(sizeof(Chunk), min_alignment);
        std::size_t const wanted = std::max(chunk_bytes, bytes + head_bytes);
        auto const block = memory::allocate(wanted, cache_line_bytes, node_);
        if (!block) return nullptr;
        newest_ = new (static_cast<void*>(block.value().address)) Chunk{newest_, block.value()};
        free_ = block.value().address + head_bytes;
        left_ = wanted - head_bytes;
        bytes_ += wanted;
    }
    std::byte* const room = free_;
    free_ += bytes;
    left_ -= bytes;
    return room;
}

} // namespace mxk::heap
