// Cuckoo hashing (Pagh and Rodler 2004; in buckets: Dietzfelbinger and Weidling 2007) inside one block, for an
// Extendible table: a key stands in one of two groups of four slots, each given by its hash, so an operation touches
// two cache lines up to, however full the block is. A new key whose groups are both full makes others move to their
// second group: along the shortest way there is, found breadth first (Li, Andersen, Kaminsky and Freedman 2014), and
// bounded; where there is none, the block is split.
//
//     groups    | a b c d | . . . . | e f g h | i - - - |      x belongs to the first or the third:
//                 '-------------------^--------^                c moves to the fourth, x takes its slot
//
// A group that was full once has no empty slot any more, but tombstones, until the block is rebuilt. So where the first
// group has an empty slot, no key of its own is in a second one, and an operation touches this line only.
//
// With groups of four nearly all slots can be used (97 % in theory); a block is crowded at 94 %.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/prefetch.hpp"
#include "base/units.hpp"
#include "hashtable/fraction.hpp"
#include "hashtable/layout/block.hpp"
#include "hashtable/layout/position.hpp"
#include "hashtable/layout/slot_blocks.hpp"

namespace mxk {

template <typename KeyType = std::uint64_t> class CuckooSlots : public SlotBlocks<KeyType> {
    using Base = SlotBlocks<KeyType>;
    using Base::first_of;

  public:
    using typename Base::Cell;
    using typename Base::Key;
    using typename Base::Shared;
    using Position = mxk::Position<Cell, HashDetail>; // the first group
    static constexpr double default_load = 0.94;
    static constexpr bool displaces = true;

    // By one half of the hash's low half, and by the other (second_of): the high half says which block.
    static Position position(Block& block, std::uint64_t hash, std::uint64_t) {
        return {{hash}, &block, block.cells<Cell>() + high_product(hash << 32, block.cell_count())};
    }

    // The fast way. NoPlace: perhaps there is one by insert_far().
    [[gnu::always_inline]] static BlockInsert insert(Position const& at, Key const& key, std::uint64_t value) {
        Cell& first = *at.cell;
        if (first.slots_of(key) != 0) [[unlikely]]
            return BlockInsert::Present;
        unsigned const blank = first.blank_slots();
        if (!first.is_any_empty(blank)) [[unlikely]]
            return insert_behind(at, key, value);
        if (at.block->room <= 0) [[unlikely]]
            return BlockInsert::NoPlace;
        first.put(first_of(blank), key, value);
        --at.block->room;
        return BlockInsert::Inserted;
    }
    // position_of(key): of any key in the block.
    template <typename PositionOf>
    static BlockInsert insert_far(Position const& at, Key const& key, std::uint64_t value, std::int32_t, Shared&,
                                  PositionOf position_of) {
        if ((at.cell->slots_of(key) | second_of(at).slots_of(key)) != 0) return BlockInsert::Present;
        return put(at, key, value, position_of, default_steps) ? BlockInsert::Inserted : BlockInsert::NoPlace;
    }

    [[gnu::always_inline]] static std::uint64_t* find(Position const& at, Key const& key) {
        auto const [group, found] = search(at, key);
        return found == 0 ? nullptr : &group->values[first_of(found)];
    }

    [[gnu::always_inline]] static bool erase(Position const& at, Key const& key, Shared&) {
        auto const [group, found] = search(at, key);
        if (found == 0) return false;
        (void)group->clear(first_of(found));
        ++at.block->room;
        return true;
    }

    // A key that the block does not have, when a block is built. False if there is no place for it, however long one
    // looks. So keys that one block holds have places in its half, or in it with twice the cells, in whatever order
    // they come: those that they had would do.
    template <typename PositionOf>
    static bool put(Position const& at, Key const& key, std::uint64_t value, Shared&, PositionOf position_of) {
        return put(at, key, value, position_of, Block::max_cells);
    }

    static void prefetch(Position const& at) { prefetch_far(at.cell); }
    // Once that group is there: whether the key may be in its second one, and asks for that. It stays so until the
    // block is rebuilt, or a key is displaced.
    static bool is_behind(Key const& key, Position const& at) {
        return at.cell->slots_of(key) == 0 && !at.cell->has_empty_slot();
    }
    static void prefetch_behind(Key const&, Position const& at) { prefetch_far(&second_of(at)); }

  private:
    // Perhaps the first one again.
    static Cell& second_of(Position const& at) {
        return at.block
            ->template cells<Cell>()[high_product((at.hash & 0xffff'ffff) * golden_ratio, at.block->cell_count())];
    }

    // A group on the way of keys that would make room: the one in `slot` of the step before would come here.
    struct Step {
        std::uint16_t group;
        std::int16_t before; // -1: a group of the new key
        std::uint8_t slot;
    };
    using Steps = std::array<Step, Block::max_cells>; // each group once
    // At 94 % one or more in five groups has a blank slot, so searches mostly end within some ten groups.
    static constexpr std::size_t default_steps = 256;
    static_assert(default_steps <= Block::max_cells);

    // Slots of one group, up to one.
    struct Found {
        Cell* group;
        unsigned slots;
    };
    // Key 0 is never found.
    [[gnu::always_inline]] static Found search(Position const& at, Key const& key) {
        unsigned const in_first = at.cell->slots_of(key);
        if (in_first == 0 || key == Key{}) [[unlikely]]
            return search_second(at, key);
        return {at.cell, in_first};
    }
    [[gnu::noinline]] static Found search_second(Position const& at, Key const& key) {
        if (key == Key{} || at.cell->has_empty_slot()) return {at.cell, 0};
        Cell& second = second_of(at);
        return {&second, second.slots_of(key)};
    }
    // As insert(), where the first group has neither the key nor an empty slot.
    [[gnu::noinline]] static BlockInsert insert_behind(Position const& at, Key const& key, std::uint64_t value) {
        if (second_of(at).slots_of(key) != 0) return BlockInsert::Present;
        if (at.block->room <= 0) return BlockInsert::NoPlace;
        return put_in_groups(at, key, value) ? BlockInsert::Inserted : BlockInsert::NoPlace;
    }

    // The first, if it has a slot: so a key is mostly found with one look.
    static bool put_in_groups(Position const& at, Key const& key, std::uint64_t value) {
        unsigned const blank_in_first = at.cell->blank_slots();
        Cell& group = blank_in_first != 0 ? *at.cell : second_of(at);
        unsigned const blank = blank_in_first != 0 ? blank_in_first : group.blank_slots();
        if (blank == 0) return false;
        group.put(first_of(blank), key, value);
        --at.block->room;
        return true;
    }

    template <typename PositionOf>
    static bool put(Position const& at, Key const& key, std::uint64_t value, PositionOf position_of,
                    std::size_t max_steps) {
        return put_in_groups(at, key, value) ||
               (make_room(at, position_of, max_steps) && put_in_groups(at, key, value));
    }

    // Moves keys so that one of these groups has a blank slot.
    template <typename PositionOf>
    [[gnu::noinline]] static bool make_room(Position const& position, PositionOf position_of, std::size_t max_steps) {
        Cell* const groups = position.block->template cells<Cell>();
        Steps steps;
        // A way that met a group twice would move a key that is not there any more.
        std::array<std::uint64_t, Block::max_cells / 64 + 1> seen{};
        std::size_t count = 0;
        auto const add = [&](Cell const* group, int before, unsigned slot) {
            auto const number = static_cast<std::uint16_t>(group - groups);
            std::uint64_t const bit = std::uint64_t{1} << number % 64;
            if ((seen[number / 64] & bit) != 0) return false;
            seen[number / 64] |= bit;
            steps[count++] = {number, static_cast<std::int16_t>(before), static_cast<std::uint8_t>(slot)};
            return true;
        };
        (void)add(position.cell, -1, 0);
        (void)add(&second_of(position), -1, 0);
        for (std::size_t at = 0; at < count; ++at) {
            Cell const& group = groups[steps[at].group];
            for (unsigned slot = 0; slot < Cell::slots && count < max_steps; ++slot) {
                Position const other = position_of(group.keys[slot]);
                Cell& to = other.cell == &group ? second_of(other) : *other.cell;
                if (!add(&to, static_cast<int>(at), slot) || to.blank_slots() == 0) continue;
                move_along(groups, steps, count - 1);
                return true;
            }
        }
        return false;
    }

    // From the end: each key has a blank slot to go to when its turn comes.
    static void move_along(Cell* groups, Steps const& steps, std::size_t last) {
        for (std::size_t at = last; steps[at].before >= 0;) {
            Cell& to = groups[steps[at].group];
            auto const before = static_cast<std::size_t>(steps[at].before);
            Cell& from = groups[steps[before].group];
            unsigned const slot = steps[at].slot;
            to.put(first_of(to.blank_slots()), from.keys[slot], from.values[slot]);
            from.put(slot, Key{}, 1); // it was full
            at = before;
        }
    }
};

} // namespace mxk
