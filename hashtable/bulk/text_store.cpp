#include "hashtable/bulk/text_store.hpp"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

#include "kernel/memory/memory.hpp"

namespace mxk {

struct alignas(16) TextStore::Chunk {
    memory::Block block;
    Chunk* before;
};

TextStore::~TextStore() {
    free_chunks(newest_);
}

// This one and those before it.
void TextStore::free_chunks(Chunk* chunk) {
    while (chunk != nullptr) {
        memory::Block const block = chunk->block; // free() may overwrite it
        chunk = chunk->before;
        bytes_ -= block.bytes;
        memory::free(block);
    }
}

void TextStore::clear() {
    freed_ = {};
    if (promised_ != 0) return free_chunks(std::exchange(newest_->before, nullptr));
    free_chunks(std::exchange(newest_, nullptr));
    fresh_ = nullptr;
    fresh_end_ = nullptr;
}

std::size_t TextStore::room_for(std::size_t size) {
    constexpr std::size_t max_small = small_classes * unit;
    return size <= max_small ? align_up(size, unit) : std::bit_ceil(size);
}

std::size_t TextStore::class_of(std::size_t room) {
    constexpr std::size_t max_small = small_classes * unit;
    if (room <= max_small) return room / unit - 1;
    return small_classes + static_cast<std::size_t>(std::countr_zero(room)) -
           static_cast<std::size_t>(std::countr_zero(max_small)) - 1;
}

bool TextStore::promise(std::size_t bytes) {
    std::size_t const wanted = promised_ + bytes;
    if (static_cast<std::size_t>(fresh_end_ - fresh_) < wanted && !add_chunk(wanted)) return false;
    promised_ = wanted;
    return true;
}

// More than is wanted now, if there is; the end of the chunk before is lost, which is an eighth at worst.
bool TextStore::add_chunk(std::size_t bytes) {
    constexpr std::size_t small = 4 * KiB;
    constexpr std::size_t large = 256 * KiB;
    std::size_t const last = newest_ != nullptr ? newest_->block.bytes : 0;
    for (std::size_t more = std::clamp(2 * last, small, large);; more = 0) {
        std::size_t const size = align_up(sizeof(Chunk) + std::max(bytes, more), small);
        auto block = memory::allocate(size, size >= 2 * MiB ? 2 * MiB : small, node_);
        if (block) {
            newest_ = new (static_cast<void*>(block.value().address)) Chunk{block.value(), newest_};
            fresh_ = reinterpret_cast<char*>(newest_ + 1);
            fresh_end_ = reinterpret_cast<char*>(block.value().address + size);
            bytes_ += block.value().bytes;
            return true;
        }
        if (more == 0) return false;
    }
}

char* TextStore::allocate(std::size_t size, bool is_promised) {
    std::size_t const room = room_for(size);
    if (room == 0) return fresh_;
    Freed*& freed = freed_[class_of(room)];
    if (freed != nullptr) {
        auto* const text = reinterpret_cast<char*>(freed);
        freed = freed->next;
        return text;
    }
    std::size_t const needed = is_promised ? room : promised_ + room;
    if (static_cast<std::size_t>(fresh_end_ - fresh_) < needed && !add_chunk(needed)) return nullptr;
    char* const text = fresh_;
    fresh_ += room;
    return text;
}

void TextStore::free(char* text, std::size_t size) {
    std::size_t const room = room_for(size);
    if (room == 0) return;
    Freed*& freed = freed_[class_of(room)];
    freed = new (static_cast<void*>(text)) Freed{freed};
}

} // namespace mxk
