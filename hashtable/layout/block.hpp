// A block of a table that grows block by block: what extendible hashing calls a bucket. Up to some thousand cells, so
// that whatever is done to all of them at once is short. This is its record in the table's directory (directory.hpp);
// the cells lie elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/units.hpp"

namespace mxk {

// The hashes that begin with these bits: those of one of 2^bits equal parts of all keys.
struct HashPrefix {
    unsigned bits = 0;
    std::uint64_t value = 0;

    // The smallest of these hashes.
    [[nodiscard]] std::uint64_t first() const { return bits == 0 ? 0 : value << (64 - bits); }
};

// What became of an insert into one block. NoPlace: nothing was done, there must be more cells first.
enum class BlockInsert : std::uint8_t { Inserted, Present, NoPlace };

class Block {
  public:
    static constexpr std::size_t max_cells = (1U << 10) - 1;

    Block() = default;
    // Empty cells, and how many keys make them crowded. `cells`: in the lower or upper 2^47 bytes of the addresses.
    Block(void* cells, std::size_t count, std::int32_t room_in_them)
        : bits_(reinterpret_cast<std::uintptr_t>(cells) << address_shift | count << count_shift)
        , room(room_in_them) {}

    template <typename Cell> [[nodiscard]] Cell* cells() const {
        return reinterpret_cast<Cell*>(static_cast<std::intptr_t>(bits_) >> address_shift);
    }
    [[nodiscard]] std::size_t cell_count() const { return bits_ >> count_shift & max_cells; }

    // The directory's global depth less the block's local depth: the block stands in 2^depth_gap entries.
    [[nodiscard]] unsigned depth_gap() const { return static_cast<unsigned>(bits_ & max_depth_gap); }
    void set_depth_gap(unsigned gap) { bits_ = (bits_ & ~max_depth_gap) | gap; }

  private:
    static constexpr unsigned address_shift = 16;
    static constexpr unsigned count_shift = 6;
    static constexpr std::uintptr_t max_depth_gap = (1U << count_shift) - 1;
    // Together, since every operation wants them: | address | cells | depth gap |
    std::uintptr_t bits_ = 0;

  public:
    std::int32_t room = 0;       // further slots that may be used before the block is crowded; less than 0 beyond that
    std::int32_t tombstones = 0; // used without a key
};
static_assert(sizeof(Block) == 16);

} // namespace mxk
