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

    // By the low half of the hash: the high one says which block. So it stays the same when the block is split. Never
    // in the last of the groups, which are two or more: so there is one behind it.
    static Position position(Block& block, std::uint64_t hash, std::uint64_t) {
        return {{}, &block, block.cells<Cell>() + high_product(hash << 32, block.cell_count() - 1)};
    }

    // The fast way. NoPlace: perhaps there is one by insert_far().
    [[gnu::always_inline]] static BlockInsert insert(Position const& position, Key const& key, std::uint64_t value) {
        Block& block = *position.block;
        Cell* const group = position.cell;
        if (!Cell::pair_slots_of(group, key).none()) [[unlikely]]
            return BlockInsert::Present;
        auto const blank = Cell::pair_blank_slots(group);
        if (blank.none()) [[unlikely]]
            return insert_behind(block, group + 1, key, value);
        Cell& to = group[blank.first() / Cell::slots];
        unsigned const at = blank.first() % Cell::slots;
        if (to.values[at] != 0 || block.room <= 0) [[unlikely]]
            return BlockInsert::NoPlace;
        to.put(at, key, value);
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
            if (group->empty_slots() != 0) break;
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
        auto const found = Cell::pair_slots_of(group, key);
        if (found.none() || key == Key{}) [[unlikely]]
            return find_behind(*position.block, group, key);
        return &group[found.first() / Cell::slots].values[found.first() % Cell::slots];
    }

    static bool erase(Position const& position, Key const& key, Shared&) {
        Block& block = *position.block;
        std::uint64_t* const value = find(position, key);
        if (value == nullptr) return false;
        Cell* const groups = block.cells<Cell>();
        Cell& group = groups[static_cast<std::size_t>(reinterpret_cast<std::byte*>(value) -
                                                      reinterpret_cast<std::byte*>(groups)) /
                             sizeof(Cell)];
        bool const ends_here = group.empty_slots() != 0;
        group.put(static_cast<unsigned>(value - group.values.data()), Key{}, ends_here ? 0 : 1);
        ends_here ? ++block.room : ++block.tombstones;
        return true;
    }

    // A key that the block does not have, into slots that none was erased from and that are enough.
    template <typename PositionOf>
    static bool put(Position const& position, Key const& key, std::uint64_t value, Shared&, PositionOf) {
        Block& block = *position.block;
        Cell* const group = position.cell;
        --block.room;
        auto const blank = Cell::pair_blank_slots(group);
        if (!blank.none()) [[likely]] {
            group[blank.first() / Cell::slots].put(blank.first() % Cell::slots, key, value);
            return true;
        }
        Cell* other = &after(block, group[1]);
        while (other->blank_slots() == 0) other = &after(block, *other);
        other->put(first_of(other->blank_slots()), key, value);
        return true;
    }

    static void prefetch(Position const& position) {
        Block const& block = *position.block;
        Cell const* const group = position.cell;
        prefetch_far(group);
        prefetch_far(group + 1);
        // Few sequences go on behind these two, but each of them would wait for memory.
        auto const slots_of_all = static_cast<std::int32_t>(block.cell_count() * Cell::slots);
        if (block.room < slots_of_all * 3 / 8) prefetch_far(group + 2);
        if (block.room < slots_of_all * 3 / 16) prefetch_far(group + 3);
    }

  private:
    // As insert(), in the groups behind this one.
    [[gnu::noinline]] static BlockInsert insert_behind(Block& block, Cell* group, Key const& key, std::uint64_t value) {
        unsigned blank = 0;
        while (blank == 0) {
            group = &after(block, *group);
            if (group->slots_of(key) != 0) return BlockInsert::Present;
            blank = group->blank_slots();
        }
        if (group->values[first_of(blank)] != 0 || block.room <= 0) return BlockInsert::NoPlace;
        group->put(first_of(blank), key, value);
        --block.room;
        return BlockInsert::Inserted;
    }
    // As find(), for keys that are not in this group, nor in the next.
    [[gnu::noinline]] static std::uint64_t* find_behind(Block const& block, Cell* group, Key const& key) {
        if (key == Key{}) return nullptr;
        for (;;) {
            if (group->empty_slots() != 0) return nullptr;
            group = &after(block, *group);
            if (unsigned const found = group->slots_of(key); found != 0) return &group->values[first_of(found)];
        }
    }
    static Cell& after(Block const& block, Cell& group) {
        Cell* const next = &group + 1;
        return next == block.cells<Cell>() + block.cell_count() ? *block.cells<Cell>() : *next;
    }
};

} // namespace mxk
