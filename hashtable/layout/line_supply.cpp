#include "hashtable/layout/line_supply.hpp"

#include <algorithm>
#include <limits>
#include <new>

#include "kernel/memory/memory.hpp"
#include "kernel/memory/node_array.hpp"

namespace mxk {

struct alignas(cache_line_bytes) LineSupply::Chunk {
    memory::Block block;
    Chunk* before;
};

LineSupply::~LineSupply() {
    static_assert(sizeof(Chunk) == sizeof(PairLine));
    while (newest_ != nullptr) {
        Chunk const chunk = *newest_; // free() may overwrite it
        newest_ = chunk.before;
        memory::free(chunk.block);
    }
}

Result<void> LineSupply::reserve(std::size_t lines) {
    if (lines == 0) return {};
    while (fresh_ != fresh_end_) { // the new chunk's take their place
        give_back(*fresh_++);
        ++in_use_; // it never was
    }
    MXK_TRY(add_chunk(lines));
    std::fill(fresh_, fresh_end_, PairLine{});
    return {};
}

// A sixteenth more than there is, so that the number of chunks stays small; less when memory is short.
bool LineSupply::grow() {
    constexpr std::size_t min_lines = FrameAllocator::frame_bytes / sizeof(PairLine) - 1;
    constexpr std::size_t default_lines = 16 * KiB / sizeof(PairLine) - 1;
    for (std::size_t lines = std::max(made_ / 16, default_lines); lines >= min_lines; lines /= 2)
        if (add_chunk(lines)) return true;
    return add_chunk(min_lines).ok();
}

// Only when there is nothing fresh left.
Result<void> LineSupply::add_chunk(std::size_t lines) {
    if (lines >= std::numeric_limits<std::size_t>::max() / 2 / sizeof(PairLine))
        return Error::of("out of memory: {} lines of pairs wanted on node {}", lines, node_);
    // Whole frames: what is rounded up would be lost.
    std::size_t const bytes = align_up((lines + 1) * sizeof(PairLine), FrameAllocator::frame_bytes);
    constexpr std::size_t large_page = NodeArray<PairLine>::large_page_bytes;
    memory::Block const block =
        MXK_TRY(memory::allocate(bytes, bytes >= large_page ? large_page : sizeof(PairLine), node_));
    newest_ = new (static_cast<void*>(block.address)) Chunk{block, newest_};
    fresh_ = reinterpret_cast<PairLine*>(block.address) + 1;
    fresh_end_ = reinterpret_cast<PairLine*>(block.address + block.bytes);
    made_ += static_cast<std::size_t>(fresh_end_ - fresh_);
    return {};
}

} // namespace mxk
