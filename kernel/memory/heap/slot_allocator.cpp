#include "kernel/memory/heap/slot_allocator.hpp"

#include <algorithm>

#include "base/panic.hpp"

namespace mxk::heap {

Slot SlotAllocator::take() {
    if (cached_superblocks_ != 0) return take_cached();
    if (!prepare()) return {};
    Superblock* const superblock = take_superblock();
    if (superblock == nullptr) return {};
    auto const number = static_cast<std::uint32_t>(superblock->free_slots.lowest());
    superblock->free_slots.remove(number);
    --superblock->free;
    if (superblock->free != 0) put_down(*superblock);
    ++used_;
    return {superblock, number};
}

// The fullest one that has a free slot, or a new one. In no list.
Superblock* SlotAllocator::take_superblock() {
    if (!has_some_.empty()) {
        Superblock* const fullest = by_free_slots_[has_some_.lowest()].first();
        pick_up(*fullest);
        return fullest;
    }
    Superblock* const fresh = pool_.take();
    if (fresh == nullptr) return nullptr;
    fresh->slots = fresh->free = static_cast<std::uint32_t>(fresh->memory.bytes / stride_);
    fresh->cached = 0;
    fresh->free_slots.fill(fresh->slots);
    fresh->cached_slots.fill(0);
    ++superblocks_;
    return fresh;
}

void SlotAllocator::give_back(Slot slot) {
    Superblock& superblock = *slot.superblock;
    expect(!superblock.free_slots.has(slot.number) && !superblock.cached_slots.has(slot.number),
           "a slot is given back once");
    --used_;
    if (superblock.cached == 0) {
        if (cached_superblocks_ == max_cached_) {
            // It is kept in place of the one that has been kept first, if it would go otherwise.
            if (max_cached_ == 0 || superblock.free + 1 < superblock.slots) return make_free(slot);
            uncache_oldest();
        }
        cached_in_[cached_superblocks_++] = &superblock;
    }
    superblock.cached_slots.add(slot.number);
    ++superblock.cached;
    ++cached_;
}

Slot SlotAllocator::take_cached() {
    Superblock& superblock = *cached_in_[cached_superblocks_ - 1];
    auto const number = static_cast<std::uint32_t>(superblock.cached_slots.lowest());
    superblock.cached_slots.remove(number);
    if (--superblock.cached == 0) --cached_superblocks_;
    --cached_;
    ++used_;
    return {&superblock, number};
}

void SlotAllocator::uncache_oldest() {
    Superblock& oldest = *cached_in_[0];
    std::copy(cached_in_.begin() + 1, cached_in_.begin() + cached_superblocks_, cached_in_.begin());
    --cached_superblocks_;
    // With the last one it may be empty, and then it is others'.
    for (std::uint32_t left = oldest.cached; left > 0; --left) {
        auto const number = static_cast<std::uint32_t>(oldest.cached_slots.lowest());
        oldest.cached_slots.remove(number);
        --oldest.cached;
        --cached_;
        make_free({&oldest, number});
    }
}

void SlotAllocator::give_back_cached() {
    while (cached_superblocks_ != 0) uncache_oldest();
}

void SlotAllocator::make_free(Slot slot) {
    Superblock& superblock = *slot.superblock;
    if (superblock.free != 0) pick_up(superblock);
    superblock.free_slots.add(slot.number);
    if (++superblock.free < superblock.slots) return put_down(superblock);
    --superblocks_;
    pool_of(superblock.memory.node).give_back(superblock);
}

void SlotAllocator::put_down(Superblock& superblock) {
    std::size_t const at = superblock.free - 1;
    by_free_slots_[at].insert_behind(nullptr, superblock);
    has_some_.add(at);
}

void SlotAllocator::pick_up(Superblock& superblock) {
    std::size_t const at = superblock.free - 1;
    by_free_slots_[at].remove(superblock);
    if (by_free_slots_[at].first() == nullptr) has_some_.remove(at);
}

// The lists, before the first superblock is cut up.
bool SlotAllocator::prepare() {
    if (!by_free_slots_.empty()) return true;
    std::size_t const slots = superblock_bytes() / stride_;
    expect(slots <= SlotSet::max_slots, "a superblock is cut into up to 640 slots");
    by_free_slots_ = arena_.make<SuperblockList>(slots);
    return !by_free_slots_.empty();
}

} // namespace mxk::heap
