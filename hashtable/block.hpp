// A block of a table that grows block by block (extendible.hpp): some thousand cells at most, so that whatever is done
// to all of them at once is short. This is its record in the table's directory; the cells lie elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/units.hpp"

namespace mxk {

// Where a key belongs: the hash itself, and which part of its block's share of all hashes it is.
struct HashPlace {
    std::uint64_t hash;
    std::uint64_t fraction;
};

// What became of an insert into one block. NoPlace: nothing was done, there must be more cells first.
enum class BlockInsert : std::uint8_t { Inserted, Present, NoPlace };

class Block {
  public:
    // Where the cells lie, aligned to cache lines, and how many they are.
    void assign(void* cells, std::uint32_t count) {
        bits_ = reinterpret_cast<std::uintptr_t>(cells) | halvings();
        cell_count = static_cast<std::uint16_t>(count);
    }
    template <typename Cell> [[nodiscard]] Cell* cells() const { return reinterpret_cast<Cell*>(bits_ & ~low_mask); }

    // The block stands in 2^halvings entries of the directory.
    [[nodiscard]] unsigned halvings() const { return static_cast<unsigned>(bits_ & low_mask); }
    void set_halvings(unsigned count) { bits_ = (bits_ & ~low_mask) | count; }

    // Cells that are not empty, or would not be if each held one key.
    [[nodiscard]] std::uint32_t used() const { return keys + tombstones; }

  private:
    static constexpr std::uintptr_t low_mask = cache_line_bytes - 1;
    std::uintptr_t bits_ = 0;

  public:
    std::uint16_t cell_count = 0;
    std::uint16_t tombstones = 0; // where the layout has them
    std::uint32_t keys = 0;
};
static_assert(sizeof(Block) == 16);

} // namespace mxk
