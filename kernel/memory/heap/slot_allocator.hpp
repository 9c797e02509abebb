// Slots of one size for one core, cut out of superblocks of its node: the blocks of small objects, or the medium
// objects of a size. A slot comes from the fullest superblock that has one, so that few superblocks are held and the
// emptier ones become empty; an empty one goes back to its node at once (Falt 2010, 8.1.2: there the fullest is found
// by a heap, here, since a superblock has few slots, by a list for each number of free ones).
//
// In front of that a few freed slots are kept, of no more than some superblocks, so that a slot that is given back and
// taken again and again at the border of a superblock does not cost one each time (8.1.3).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "kernel/memory/heap/metadata_arena.hpp"
#include "kernel/memory/heap/superblock.hpp"
#include "kernel/memory/heap/superblock_pool.hpp"

namespace mxk::heap {

struct Slot {
    Superblock* superblock = nullptr; // null: no memory
    std::uint32_t number = 0;
};

// Its core only; blocks only for the locks of its node's pool.
class SlotAllocator {
  public:
    static constexpr std::size_t max_cached_superblocks = 8;

    // `stride`: bytes from slot to slot. `cached_superblocks`: of how many it keeps freed slots.
    SlotAllocator(MetadataArena& arena, SuperblockPool& pool, std::size_t stride, std::size_t cached_superblocks)
        : arena_(arena)
        , pool_(pool)
        , stride_(static_cast<std::uint32_t>(stride))
        , max_cached_(static_cast<std::uint32_t>(cached_superblocks)) {}

    [[nodiscard]] Slot take();
    // Whether it can without another superblock.
    [[nodiscard]] bool has_free() const { return cached_superblocks_ != 0 || !has_some_.empty(); }
    // One that take() gave.
    void give_back(Slot slot);
    // What is kept goes back, and empty superblocks with it.
    void give_back_cached();

    [[nodiscard]] std::byte* address_of(Slot slot) const {
        return slot.superblock->memory.address + std::size_t{slot.number} * stride_;
    }
    [[nodiscard]] std::size_t stride() const { return stride_; }
    // Superblocks that it has, slots that are in use, and slots that are kept.
    [[nodiscard]] std::size_t superblocks() const { return superblocks_; }
    [[nodiscard]] std::size_t used() const { return used_; }
    [[nodiscard]] std::size_t cached() const { return cached_; }

  private:
    [[nodiscard]] bool prepare();
    [[nodiscard]] Superblock* take_superblock();
    [[nodiscard]] Slot take_cached();
    void uncache_oldest();
    void make_free(Slot slot);
    void put_down(Superblock& superblock);
    void pick_up(Superblock& superblock);

    MetadataArena& arena_;
    SuperblockPool& pool_;
    std::span<SuperblockList> by_free_slots_; // [0]: with one free slot. Those without stand in none
    SlotSet has_some_;                        // of these lists
    std::array<Superblock*, max_cached_superblocks> cached_in_{};
    std::uint32_t cached_superblocks_ = 0;
    std::uint32_t stride_;
    std::uint32_t max_cached_;
    std::size_t cached_ = 0;
    std::size_t used_ = 0;
    std::size_t superblocks_ = 0;
};

} // namespace mxk::heap
