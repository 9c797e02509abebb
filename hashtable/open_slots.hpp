// Open addressing with linear probing and tombstones (thesis section 2.2, Algorithm 3.3 without its slips; Knuth 6.4,
// Algorithm L) inside one block of slots, for an Extendible table. A probe sequence goes round in the block, from the
// slot of the key's hash to the first empty one.
//
//     slot    key != 0      taken
//             0, 1          a tombstone: a key was erased here, the sequence goes on
//             0, 0          empty: the sequence ends; there is one in every block
//
// An erase in front of an empty slot leaves no tombstone, and clears those in front of it. What remains of them goes
// when the block is built anew. Keys: any type with ==, of which a value-initialised one (0) is no key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/prefetch.hpp"
#include "base/units.hpp"
#include "hashtable/block.hpp"
#include "hashtable/fraction.hpp"

namespace mxk {

template <typename KeyType = std::uint64_t> class OpenSlots {
  public:
    using Key = KeyType;
    using Item = std::uint64_t;
    struct Cell {
        Key key{};
        std::uint64_t value = 0;
    };
    static_assert(std::is_trivially_copyable_v<Cell>);
    // What the blocks of a table have in common: nothing.
    struct Shared {
        explicit Shared(NodeId) {}
    };
    static constexpr std::size_t block_bytes = 64 * 1024;
    static constexpr double usual_load = 0.78; // of the slots, tombstones counted
    static constexpr bool powers_of_two = false;

    static BlockInsert insert(Block& block, HashPlace place, Key const& key, std::uint64_t value, Shared&) {
        Cell* const slots = block.cells<Cell>();
        Cell* reusable = nullptr;
        std::size_t at = home(block, place);
        for (;; at = after(block, at)) {
            Cell& slot = slots[at];
            if (slot.key == key) [[unlikely]]
                return BlockInsert::Present;
            if (!is_blank(slot)) continue;
            if (slot.value == 0) break;
            if (reusable == nullptr) reusable = &slot;
        }
        if (reusable != nullptr) [[unlikely]] {
            *reusable = {key, value};
            --block.tombstones;
        } else {
            if (block.used() + 1 >= block.cell_count) [[unlikely]]
                return BlockInsert::NoPlace;
            slots[at] = {key, value};
        }
        ++block.keys;
        return BlockInsert::Inserted;
    }

    static std::uint64_t* find(Block const& block, HashPlace place, Key const& key) {
        Cell* const slot = search(block, place, key);
        return slot != nullptr ? &slot->value : nullptr;
    }

    static bool erase(Block& block, HashPlace place, Key const& key, Shared&) {
        Cell* const slot = search(block, place, key);
        if (slot == nullptr) return false;
        --block.keys;
        Cell* const slots = block.cells<Cell>();
        auto at = static_cast<std::size_t>(slot - slots);
        if (!is_empty(slots[after(block, at)])) {
            *slot = {Key{}, 1};
            ++block.tombstones;
            return true;
        }
        *slot = {};
        for (at = before(block, at); is_tombstone(slots[at]); at = before(block, at)) {
            slots[at] = {};
            --block.tombstones;
        }
        return true;
    }

    // A key that the block does not have, while it has no tombstones. False if there is no place.
    static bool put(Block& block, HashPlace place, Key const& key, std::uint64_t value, Shared&) {
        if (block.used() + 1 >= block.cell_count) return false;
        Cell* const slots = block.cells<Cell>();
        std::size_t at = home(block, place);
        while (!is_blank(slots[at])) at = after(block, at);
        slots[at] = {key, value};
        ++block.keys;
        return true;
    }

    static void prefetch(Block const& block, HashPlace place) {
        prefetch_for_write(&block.cells<Cell>()[home(block, place)]);
    }

    // visit(key, value) for every pair.
    template <typename Visit> static void for_each(Block const& block, std::uint64_t, Visit visit) {
        Cell const* const slots = block.cells<Cell>();
        for (std::size_t at = 0; at < block.cell_count; ++at)
            if (!is_blank(slots[at])) visit(slots[at].key, slots[at].value);
    }

    // The cells go: nothing hangs on them.
    static void release(Block&, Shared&) {}

  private:
    static bool is_blank(Cell const& slot) { return slot.key == Key{}; }
    static bool is_empty(Cell const& slot) { return is_blank(slot) && slot.value == 0; }
    static bool is_tombstone(Cell const& slot) { return is_blank(slot) && slot.value != 0; }

    static std::size_t home(Block const& block, HashPlace place) {
        return high_product(place.fraction, block.cell_count);
    }
    static std::size_t after(Block const& block, std::size_t at) { return at + 1 == block.cell_count ? 0 : at + 1; }
    static std::size_t before(Block const& block, std::size_t at) { return (at == 0 ? block.cell_count : at) - 1; }

    // The key's slot, or null.
    static Cell* search(Block const& block, HashPlace place, Key const& key) {
        Cell* const slots = block.cells<Cell>();
        for (std::size_t at = home(block, place);; at = after(block, at)) {
            Cell& slot = slots[at];
            if (slot.key == key) [[likely]]
                return is_blank(slot) ? nullptr : &slot; // key 0 is never found
            if (is_empty(slot)) return nullptr;
        }
    }
};

} // namespace mxk
