// What blocks of slot groups have in common (open_slots.hpp, cuckoo_slots.hpp), whichever group a key is in.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/units.hpp"
#include "hashtable/block.hpp"
#include "hashtable/slot_group.hpp"

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
    static constexpr bool powers_of_two = false;

    // visit(key, value) for every pair.
    template <typename Visit> static void for_each(Block const& block, HashRange const&, Visit visit) {
        for (Cell const* group = block.cells<Cell>(); group != block.cells<Cell>() + block.cell_count(); ++group)
            for (unsigned taken = Cell::all_slots & ~group->blank_slots(); taken != 0; taken &= taken - 1)
                visit(group->keys[first_of(taken)], group->values[first_of(taken)]);
    }

    // The cells go: nothing hangs on them.
    static void release(Block&, Shared&) {}

  protected:
    // Of a set of slots that is not empty.
    static unsigned first_of(unsigned slots) { return static_cast<unsigned>(std::countr_zero(slots)); }
};

} // namespace mxk
