// Open addressing with linear probing and tombstones (thesis section 2.2, Algorithm 3.3 without its slips; Knuth 6.4
// Algorithm L, and there on groups of slots) inside one block, for an Extendible table. A probe sequence goes from the
// group of the key's hash to the first that has an empty slot, round in the block.
//
//     groups    | k k k k | k t k k | k k - - | - - - - |    t: tombstone, -: empty; every block has one
//                 '------------------> ends here
//
// An insert looks through the whole sequence before it takes the first slot without a key. An erase in a group with an
// empty slot leaves no tombstone, since no sequence goes past it. The tombstones of a block go when it is rebuilt.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/prefetch.hpp"
#include "base/units.hpp"
#include "hashtable/fraction.hpp"
#include "hashtable/layout/block.hpp"
#include "hashtable/layout/position.hpp"
#include "hashtable/layout/slot_blocks.hpp"

namespace mxk {

template <typename KeyType = std::uint64_t> class OpenSlots : public SlotBlocks<KeyType> {
    using Base = SlotBlocks<KeyType>;
    using Base::first_of;

  public:
    using typename Base::Cell;
    using typename Base::Key;
    using typename Base::Shared;
    using Position = mxk::Position<Cell>;        // the group where the search for a key begins
    static constexpr double default_load = 0.75; // of the slots, tombstones counted
    static constexpr double max_load = 0.98;     // one or more of 16 stays empty, or no search would end

    // By the low half of the hash: the high one says which block. So it stays the same when the block is split.
    static Position position(Block& block, std::uint64_t hash, std::uint64_t) {
        return {{}, &block, block.cells<Cell>() + high_product(hash << 32, block.cell_count())};
    }

    // The fast way. NoPlace: perhaps there is one by insert_far().
    [[gnu::always_inline]] static BlockInsert insert(Position const& position, Key const& key, std::uint64_t value) {
        Block& block = *position.block;
        Cell& group = *position.cell;
        if (group.slots_of(key) != 0) [[unlikely]]
            return BlockInsert::Present;
        unsigned const blank = group.blank_slots();
        if (!group.is_any_empty(blank)) [[unlikely]]
            return insert_behind(block, &group, key, value);
        if (block.room <= 0) [[unlikely]]
            return BlockInsert::NoPlace;
        group.put(first_of(blank), key, value);
        --block.room;
        return BlockInsert::Inserted;
    }
    // In any way. `spare`: slots of a crowded block; the last one stays empty.
    template <typename PositionOf>
    static BlockInsert insert_far(Position const& position, Key const& key, std::uint64_t value, std::int32_t spare,
                                  Shared&, PositionOf) {
        Block& block = *position.block;
        Cell* group = position.cell;
        Cell* first_blank = nullptr;
        for (;; group = &after(block, *group)) {
            if (group->slots_of(key) != 0) return BlockInsert::Present;
            if (first_blank == nullptr && group->blank_slots() != 0) first_blank = group;
            if (group->has_empty_slot()) break;
        }
        unsigned const at = first_of(first_blank->blank_slots());
        if (first_blank->values[at] != 0) {
            --block.tombstones;
        } else {
            if (block.room + spare <= 1) return BlockInsert::NoPlace;
            --block.room;
        }
        first_blank->put(at, key, value);
        return BlockInsert::Inserted;
    }

    // What stands with the key, or null.
    [[gnu::always_inline]] static std::uint64_t* find(Position const& position, Key const& key) {
        Cell* const group = position.cell;
        unsigned const found = group->slots_of(key);
        if (found == 0 || key == Key{}) [[unlikely]]
            return find_behind(*position.block, group, key);
        return &group->values[first_of(found)];
    }

    [[gnu::always_inline]] static bool erase(Position const& position, Key const& key, Shared&) {
        Block& block = *position.block;
        Cell& group = *position.cell;
        unsigned const found = group.slots_of(key);
        if (found == 0 || key == Key{}) [[unlikely]]
            return erase_behind(block, &group, key);
        count_cleared(block, group.clear(first_of(found)));
        return true;
    }

    // A key that the block does not have, into slots that none was erased from and that are enough.
    template <typename PositionOf>
    static bool put(Position const& position, Key const& key, std::uint64_t value, Shared&, PositionOf) {
        Block& block = *position.block;
        Cell* group = position.cell;
        --block.room;
        while (group->blank_slots() == 0) group = &after(block, *group);
        group->put(first_of(group->blank_slots()), key, value);
        return true;
    }

    static void prefetch(Position const& position) { prefetch_far(position.cell); }
    // Once that group is there: whether the search for the key goes on behind it, and asks for the next one. A group
    // that had no empty slot once has none until the block is rebuilt.
    static bool is_behind(Key const& key, Position const& position) {
        return position.cell->slots_of(key) == 0 && !position.cell->has_empty_slot();
    }
    static void prefetch_behind(Key const&, Position const& position) {
        prefetch_far(&after(*position.block, *position.cell));
    }

  private:
    // As insert(), where this group has neither the key nor an empty slot.
    [[gnu::noinline]] static BlockInsert insert_behind(Block& block, Cell* group, Key const& key, std::uint64_t value) {
        unsigned blank = group->blank_slots();
        while (blank == 0) {
            group = &after(block, *group);
            if (group->slots_of(key) != 0) return BlockInsert::Present;
            blank = group->blank_slots();
        }
        if (!group->is_any_empty(blank) || block.room <= 0) return BlockInsert::NoPlace;
        group->put(first_of(blank), key, value);
        --block.room;
        return BlockInsert::Inserted;
    }
    // As find(), for keys that are not in this group.
    [[gnu::noinline]] static std::uint64_t* find_behind(Block const& block, Cell* group, Key const& key) {
        unsigned const found = search_behind(block, group, key);
        return found == 0 ? nullptr : &group->values[first_of(found)];
    }
    [[gnu::noinline]] static bool erase_behind(Block& block, Cell* group, Key const& key) {
        unsigned const found = search_behind(block, group, key);
        if (found != 0) count_cleared(block, group->clear(first_of(found)));
        return found != 0;
    }
    // The slot with the key, and its group; none if the key is not there.
    static unsigned search_behind(Block const& block, Cell*& group, Key const& key) {
        if (key == Key{}) return 0;
        while (!group->has_empty_slot()) {
            group = &after(block, *group);
            if (unsigned const found = group->slots_of(key); found != 0) return found;
        }
        return 0;
    }
    // No branch: which of them it is cannot be predicted.
    static void count_cleared(Block& block, bool is_empty) {
        block.room += static_cast<std::int32_t>(is_empty);
        block.tombstones += static_cast<std::int32_t>(!is_empty);
    }
    static Cell& after(Block const& block, Cell& group) {
        Cell* const next = &group + 1;
        return next == block.cells<Cell>() + block.cell_count() ? *block.cells<Cell>() : *next;
    }
};

} // namespace mxk
