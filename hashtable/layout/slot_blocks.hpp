// What blocks of slot groups have in common (open_slots.hpp, cuckoo_slots.hpp), whichever group a key is in.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/prefetch.hpp"
#include "base/units.hpp"
#include "hashtable/layout/block.hpp"
#include "hashtable/layout/slot_group.hpp"

namespace mxk {

template <typename KeyType> class SlotBlocks {
  public:
    using Key = KeyType;
    using Item = std::uint64_t;
    using Cell = SlotGroup<Key>;
    // What the blocks of a table have in common: nothing.
    struct Shared {
        explicit Shared(NodeId) {}
    };
    static constexpr std::size_t block_bytes = 64 * 1024;
    static constexpr std::size_t keys_per_cell = Cell::slots;

    // visit(key, value) for every pair. Whether there is a key in a slot cannot be predicted: so the pairs of some
    // groups are collected without a branch first. And visited in turns from all over these groups: who puts them into
    // another block reads the group that the pair belongs to, and would wait for what was written there a moment ago.
    template <typename Visit> static void for_each(Block const& block, Visit visit) {
        constexpr std::size_t together = 32;
        constexpr std::size_t turns = 8;
        constexpr std::size_t ahead = 24; // groups: as far as memory is away
        std::array<Key, together * Cell::slots + 1> keys;
        std::array<std::uint64_t, together * Cell::slots + 1> values;
        Cell const* const groups = block.cells<Cell>();
        std::size_t const groups_in_all = block.cell_count();
        for (std::size_t group = 0; group < groups_in_all;) {
            std::size_t count = 0;
            for (std::size_t const stop = std::min(group + together, groups_in_all); group < stop; ++group) {
                prefetch_for_read(&groups[group] + ahead);
                for (unsigned at = 0; at < Cell::slots; ++at) {
                    keys[count] = groups[group].keys[at];
                    values[count] = groups[group].values[at];
                    count += static_cast<std::size_t>(!(keys[count] == Key{}));
                }
            }
            std::size_t const part = count / turns;
            for (std::size_t at = 0; at < part; ++at)
                for (std::size_t turn = 0; turn < turns; ++turn)
                    visit(keys[turn * part + at], values[turn * part + at]);
            for (std::size_t at = part * turns; at < count; ++at) visit(keys[at], values[at]);
        }
    }

    // The cells go: nothing hangs on them.
    static void release(Block&, Shared&) {}

  protected:
    // Of a set of slots that is not empty.
    static unsigned first_of(unsigned slots) { return static_cast<unsigned>(std::countr_zero(slots)); }
};

} // namespace mxk
