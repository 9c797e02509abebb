// A block of a table that grows block by block (extendible.hpp): some thousand cells up to, so that whatever is done
// to all of them at once is short. This is its record in the table's directory; the cells lie elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/units.hpp"

namespace mxk {

// The hashes of a block's keys: all that begin with the same bits as `first`, which ends in zeros. Only where blocks
// are powers of two.
struct HashRange {
    std::uint64_t first;
    unsigned bits;
};

// Where a key belongs in its block.
class HashPlace {
  public:
    // `rest`: of the fraction that the hash is of all entries, what is behind the `entry`; the block is in 2^halvings
    // of them.
    HashPlace(std::uint64_t its_hash, std::uint64_t rest, std::size_t entry, unsigned halvings)
        : hash(its_hash)
        , rest_(rest)
        , entry_(entry)
        , halvings_(halvings) {}

    // Which part of the block's share of all hashes it is. A block in 2^n entries has n leading bits less: they come
    // back in front.
    [[nodiscard]] std::uint64_t fraction() const {
        return rest_ >> halvings_ | std::uint64_t{entry_} << 1 << (63 - halvings_);
    }

    std::uint64_t hash;

  private:
    std::uint64_t rest_;
    std::size_t entry_;
    unsigned halvings_;
};

// What became of an insert into one block. NoPlace: nothing was done, there must be more cells first.
enum class BlockInsert : std::uint8_t { Inserted, Present, NoPlace };

class Block {
  public:
    static constexpr std::size_t most_cells = (1U << 10) - 1;

    Block() = default;
    // Empty cells, and how many keys make them crowded. `cells`: in the lower or upper 2^47 bytes of the addresses.
    Block(void* cells, std::size_t count, std::int32_t room_in_them)
        : bits_(reinterpret_cast<std::uintptr_t>(cells) << address_shift | count << count_shift)
        , room(room_in_them) {}

    template <typename Cell> [[nodiscard]] Cell* cells() const {
        return reinterpret_cast<Cell*>(static_cast<std::intptr_t>(bits_) >> address_shift);
    }
    [[nodiscard]] std::size_t cell_count() const { return bits_ >> count_shift & most_cells; }

    // The block stands in 2^halvings entries of the directory.
    [[nodiscard]] unsigned halvings() const { return static_cast<unsigned>(bits_ & most_halvings); }
    void set_halvings(unsigned count) { bits_ = (bits_ & ~most_halvings) | count; }

  private:
    static constexpr unsigned address_shift = 16;
    static constexpr unsigned count_shift = 6;
    static constexpr std::uintptr_t most_halvings = (1U << count_shift) - 1;
    // Together, since every operation wants them: | address | cells | halvings |
    std::uintptr_t bits_ = 0;

  public:
    std::int32_t room = 0;       // further slots that may be used before the block is crowded; less than 0 beyond that
    std::int32_t tombstones = 0; // used without a key
};
static_assert(sizeof(Block) == 16);

} // namespace mxk
