#include "kernel/memory/scratch_memory.hpp"

#include <new>

#include "kernel/memory/memory.hpp"

namespace mxk::memory {

struct ScratchMemory::Chunk {
    Block block;
    Chunk* before;
};

ScratchMemory::~ScratchMemory() {
    while (last_ != nullptr) {
        Chunk const chunk = *last_; // free() may overwrite it
        last_ = chunk.before;
        free(chunk.block);
    }
}

std::span<std::byte> ScratchMemory::take_chunk(std::size_t bytes) {
    constexpr std::size_t page = 4 * KiB; // the head takes one, so that the rest is aligned to a page
    static_assert(sizeof(Chunk) <= page);
    if (bytes > SIZE_MAX / 2) return {};
    auto const block = allocate(page + align_up(bytes, page), page, node_);
    if (!block) return {};
    last_ = new (static_cast<void*>(block.value().address)) Chunk{block.value(), last_};
    return {block.value().address + page, block.value().bytes - page};
}

} // namespace mxk::memory
