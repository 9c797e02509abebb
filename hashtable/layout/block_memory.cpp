#include "hashtable/layout/block_memory.hpp"

#include <new>

namespace mxk {
namespace {

struct alignas(cache_line_bytes) Header {
    memory::Block memory;
};
static_assert(sizeof(Header) == BlockMemory::header_bytes);

memory::Block memory_of(void const* cells) {
    return (static_cast<Header const*>(cells) - 1)->memory;
}
std::size_t frame_bytes_of(void const* cells) {
    return align_up(memory_of(cells).bytes, FrameAllocator::frame_bytes);
}

} // namespace

BlockMemory::~BlockMemory() {
    if (spare_ != nullptr) memory::free(memory_of(spare_));
}

void* BlockMemory::take(std::size_t bytes) {
    if (spare_ == nullptr || bytes != spare_bytes_) return take_fresh(bytes);
    bytes_ += frame_bytes_of(spare_);
    return std::exchange(spare_, nullptr);
}

void* BlockMemory::take_fresh(std::size_t bytes) {
    auto const memory = memory::allocate(sizeof(Header) + bytes, cache_line_bytes, node_);
    if (!memory) return nullptr;
    void* const cells = new (static_cast<void*>(memory.value().address)) Header{memory.value()} + 1;
    bytes_ += frame_bytes_of(cells);
    return cells;
}

void BlockMemory::give_back(void* cells, std::size_t bytes) {
    bytes_ -= frame_bytes_of(cells);
    std::swap(spare_, cells);
    spare_bytes_ = bytes;
    if (cells != nullptr) memory::free(memory_of(cells));
}

void BlockMemory::free(void* cells) {
    bytes_ -= frame_bytes_of(cells);
    memory::free(memory_of(cells));
}

bool BlockMemory::is_local(void const* cells) const {
    return memory_of(cells).node == node_;
}

} // namespace mxk
