#include "hashtable/shared/concurrent/pair_supply.hpp"

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include "kernel/memory/node_array.hpp"

namespace mxk::concurrent {

struct alignas(cache_line_bytes) PairSupply::Chunk {
    memory::Block block;
    Chunk* before;
};

PairSupply::~PairSupply() {
    while (newest_ != nullptr) {
        Chunk const chunk = *newest_; // free() may overwrite it
        newest_ = chunk.before;
        memory::free(chunk.block);
    }
}

Result<void> PairSupply::reserve(std::size_t pairs) {
    if (pairs == 0) return {};
    if (pairs > std::numeric_limits<std::size_t>::max() / 2 / sizeof(Pair))
        return Error::of("out of memory: {} pairs wanted on node {}", pairs, node_);
    LockGuard const guard(lock_);
    MXK_TRY(add_chunk(sizeof(Chunk) + pairs * sizeof(Pair)));
    std::fill(fresh_, fresh_end_, std::byte{0});
    return {};
}

Pair* PairSupply::take() {
    LockGuard const guard(lock_);
    if (freed_ != nullptr) {
        Node* const node = freed_;
        freed_ = node->link.load(std::memory_order_relaxed).node(); // nobody else has it
        if (freed_ == nullptr) [[unlikely]]
            freed_ = groups_.take();
        return static_cast<Pair*>(node);
    }
    if (!has_fresh(sizeof(Pair))) [[unlikely]]
        if (Pair* const pair = take_from_depot()) return pair;
    void* const place = carve(sizeof(Pair));
    return place != nullptr ? new (place) Pair : nullptr;
}

void PairSupply::give_back(Pair& pair) {
    LockGuard const guard(lock_);
    pair.link.store(MarkedLink(freed_, 0), std::memory_order_relaxed);
    freed_ = &pair;
}

void PairSupply::retire(Pair& pair) {
    Batch* full = nullptr;
    {
        LockGuard const guard(lock_);
        if (open_ == nullptr) open_ = batch_to_fill();
        if (open_ == nullptr) return;
        open_->pairs[open_->size++] = &pair;
        if (open_->size == open_->pairs.size()) full = std::exchange(open_, nullptr);
    }
    if (full == nullptr) return;
    batches_out_.fetch_add(1, std::memory_order_relaxed); // nobody waits for it while the table is used
    rcu::call(*full);
}

std::size_t PairSupply::bytes() const {
    LockGuard const guard(lock_);
    return bytes_;
}

// What is fresh yet is lost, if it is less than what is wanted.
Result<void> PairSupply::add_chunk(std::size_t bytes) {
    std::size_t const frames = align_up(bytes, FrameAllocator::frame_bytes);
    constexpr std::size_t large_page = NodeArray<Pair>::large_page_bytes;
    memory::Block const block =
        MXK_TRY(memory::allocate(frames, frames >= large_page ? large_page : cache_line_bytes, node_));
    newest_ = new (static_cast<void*>(block.address)) Chunk{block, newest_};
    fresh_ = block.address + sizeof(Chunk);
    fresh_end_ = block.address + block.bytes;
    bytes_ += block.bytes;
    return {};
}

void* PairSupply::carve(std::size_t bytes) {
    // An eighth more than there is, so that the number of chunks stays small; less when memory is short.
    if (!has_fresh(bytes) && !add_chunk(std::max(bytes_ / 8, chunk_bytes)) && !add_chunk(FrameAllocator::frame_bytes))
        return nullptr;
    return std::exchange(fresh_, fresh_ + bytes);
}

PairSupply::Batch* PairSupply::batch_to_fill() {
    void* place = freed_batches_;
    if (place != nullptr)
        freed_batches_ = freed_batches_->next;
    else
        place = carve(sizeof(Batch));
    if (place == nullptr) return nullptr;
    auto* const batch = new (place) Batch;
    batch->supply = this;
    batch->function = [](rcu::Callback& self) {
        auto& its = static_cast<Batch&>(self);
        its.supply->come_back(its);
    };
    return batch;
}

Pair* PairSupply::take_from_depot() {
    Pair* const group = depot_->take();
    if (group != nullptr) freed_ = group->link.load(std::memory_order_relaxed).node();
    return group;
}

void PairSupply::come_back(Batch& batch) {
    Pair& group = group_of(batch);
    if (!take_back(batch, group)) depot_->put(group);
    batches_out_.fetch_sub(1, std::memory_order_release); // pairs with is_waited_for(): this may be gone
}

// Nobody else has the pairs.
Pair& PairSupply::group_of(Batch& batch) {
    Pair* first = nullptr;
    for (Pair* const pair : std::span(batch.pairs).first(batch.size)) {
        if constexpr (poisons) {
            pair->hash = pair->key = poison;
            pair->value.store(poison, std::memory_order_relaxed);
        }
        pair->link.store(MarkedLink(first, 0), std::memory_order_relaxed);
        first = pair;
    }
    return *first;
}

bool PairSupply::take_back(Batch& batch, Pair& group) {
    LockGuard const guard(lock_);
    batch.next = freed_batches_;
    freed_batches_ = &batch;
    if (freed_ == nullptr)
        freed_ = &group;
    else if (groups_.size() < max_groups)
        groups_.put(group);
    else
        return false;
    return true;
}

} // namespace mxk::concurrent
