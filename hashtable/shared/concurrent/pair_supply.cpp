#include "hashtable/shared/concurrent/pair_supply.hpp"

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include "kernel/memory/node_array.hpp"

namespace mxk::concurrent {

// In its first page, behind what that begins with.
struct alignas(Pair) PairSupply::Chunk {
    memory::Block block;
    Chunk* before;
    std::byte* end; // of what was carved, once there is another one
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
    MXK_TRY(add_chunk((pairs / PairPage::pairs + 2) * PairPage::bytes));
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
        if (open_ != nullptr) {
            open_->pairs[open_->size++] = &pair;
            if (open_->size != open_->pairs.size()) return;
            full = std::exchange(open_, nullptr);
        }
    }
    if (full == nullptr) return retired_->retire(pair);
    batches_out_.fetch_add(1, std::memory_order_relaxed); // nobody waits for it while the table is used
    rcu::call(*full);
}

std::size_t PairSupply::bytes() const {
    LockGuard const guard(lock_);
    return bytes_;
}

// What is fresh yet is lost, if it is less than what is wanted.
Result<void> PairSupply::add_chunk(std::size_t bytes) {
    std::size_t const frames = align_up(bytes, PairPage::bytes);
    constexpr std::size_t large_page = NodeArray<Pair>::large_page_bytes;
    memory::Block const block =
        MXK_TRY(memory::allocate(frames, frames >= large_page ? large_page : PairPage::bytes, node_));
    if (newest_ != nullptr) newest_->end = fresh_;
    auto* const page = new (static_cast<void*>(block.address)) PairPage;
    newest_ = new (static_cast<void*>(page + 1)) Chunk{block, newest_, nullptr};
    fresh_ = reinterpret_cast<std::byte*>(newest_ + 1);
    fresh_end_ = block.address + block.bytes;
    bytes_ += block.bytes;
    return {};
}

bool PairSupply::has_fresh(std::size_t bytes) const {
    std::size_t const used = reinterpret_cast<std::uintptr_t>(fresh_) % PairPage::bytes;
    if (used != 0 && used + bytes <= PairPage::bytes) return true;
    return static_cast<std::size_t>(fresh_end_ - fresh_) >= PairPage::bytes;
}

void* PairSupply::carve(std::size_t bytes) {
    // An eighth more than there is, so that the number of chunks stays small; less when memory is short.
    if (!has_fresh(bytes) && !add_chunk(std::max(bytes_ / 8, chunk_bytes)) && !add_chunk(FrameAllocator::frame_bytes))
        return nullptr;
    std::size_t const used = reinterpret_cast<std::uintptr_t>(fresh_) % PairPage::bytes;
    if (used != 0 && used + bytes > PairPage::bytes) fresh_ += PairPage::bytes - used; // a batch does not fit in
    if (used == 0 || used + bytes > PairPage::bytes) {
        new (static_cast<void*>(fresh_)) PairPage;
        fresh_ += sizeof(PairPage);
    }
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

Pair* PairSupply::add_to_group(Pair& pair, Pair* group) {
    if constexpr (poisons) {
        pair.hash = pair.key = poison;
        pair.value.store(poison, std::memory_order_relaxed);
    }
    pair.link.store(MarkedLink(group, 0), std::memory_order_relaxed); // nobody else has it
    return &pair;
}

Pair& PairSupply::group_of(Batch& batch) {
    Pair* group = nullptr;
    for (Pair* const pair : std::span(batch.pairs).first(batch.size)) group = add_to_group(*pair, group);
    return *group;
}

void PairSupply::take_waiting(unsigned set) {
    LockGuard const guard(lock_);
    for (Chunk const* chunk = newest_; chunk != nullptr; chunk = chunk->before) {
        std::byte* const end = chunk == newest_ ? fresh_ : chunk->end;
        for (std::byte* page = chunk->block.address; page < end; page += PairPage::bytes) {
            Pair* group = nullptr;
            PairPage::of(page).take_waiting(set, [&](Pair& pair) { group = add_to_group(pair, group); });
            if (group != nullptr) depot_->put(*group);
        }
    }
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
