// The buckets of a Bucketed table (pair_bucket.hpp) inside one block, for an Extendible table. Of a key only 48 bits of
// its hash are stored, so that the hash must be one that can be taken back, MixedHash, and the 16 bits above must be
// those of the bucket: a table has no less than 2^16 buckets, and blocks and buckets are powers of two.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/prefetch.hpp"
#include "base/units.hpp"
#include "hashtable/fraction.hpp"
#include "hashtable/hash.hpp"
#include "hashtable/layout/block.hpp"
#include "hashtable/layout/line_supply.hpp"
#include "hashtable/layout/pair_bucket.hpp"
#include "hashtable/layout/position.hpp"

namespace mxk {

class PairBuckets {
  public:
    using Key = std::uint64_t;
    using Item = std::uint64_t;
    using Cell = PairLine;
    using Position = mxk::Position<PairLine, HashDetail>; // a bucket's first line
    // Where lines behind buckets come from.
    struct Shared {
        explicit Shared(NodeId node)
            : lines(node) {}
        LineSupply lines;
    };
    static constexpr std::size_t block_bytes = 64 * 1024;
    static constexpr std::size_t keys_per_cell = PairLine::places;
    static constexpr double default_load = 0.75; // three keys in a bucket; one in six has some behind its line
    static constexpr bool powers_of_two = true;
    // Of all tables together whose keys' hashes differ in their leading bits only.
    static constexpr std::size_t min_cells = std::size_t{1} << 16;

    // `fraction`: which part of the block's share of all hashes it is.
    static Position position(Block& block, std::uint64_t hash, std::uint64_t fraction) {
        return {{hash}, &block, block.cells<Cell>() + high_product(fraction, block.cell_count())};
    }

    static BlockInsert insert(Position const& at, Key, std::uint64_t value) {
        if (PairBucket::is_in_first(*at.cell, at.hash)) [[unlikely]]
            return BlockInsert::Present;
        if (!PairBucket::has_place(*at.cell) || at.block->room <= 0) [[unlikely]]
            return BlockInsert::NoPlace;
        PairBucket::put(*at.cell, at.hash, value);
        --at.block->room;
        return BlockInsert::Inserted;
    }
    template <typename PositionOf>
    static BlockInsert insert_far(Position const& at, Key, std::uint64_t value, std::int32_t, Shared& shared,
                                  PositionOf) {
        switch (PairBucket::insert(*at.cell, at.hash, value, shared.lines)) {
        case Insert::Inserted: --at.block->room; return BlockInsert::Inserted;
        case Insert::Present: return BlockInsert::Present;
        case Insert::Full: break;
        }
        return BlockInsert::NoPlace;
    }

    static std::uint64_t* find(Position const& at, Key) { return PairBucket::find(*at.cell, at.hash); }

    static bool erase(Position const& at, Key, Shared& shared) {
        if (!PairBucket::erase(*at.cell, at.hash, shared.lines)) return false;
        ++at.block->room;
        return true;
    }

    // False if there is no memory.
    template <typename PositionOf>
    static bool put(Position const& at, Key, std::uint64_t value, Shared& shared, PositionOf) {
        if (PairBucket::insert(*at.cell, at.hash, value, shared.lines) != Insert::Inserted) return false;
        --at.block->room;
        return true;
    }

    static void prefetch(Position const& at) { prefetch_far(at.cell); }
    // Once that line is there: as Bucketed's.
    static bool is_behind(Key, Position const& at) { return PairBucket::is_behind(*at.cell, at.hash); }
    static void prefetch_behind(Key, Position const& at) { PairBucket::prefetch_behind(*at.cell, at.hash); }

    // visit(key, value) for every pair.
    template <typename Visit> static void for_each(Block const& block, HashPrefix prefix, Visit visit) {
        unsigned const bits = prefix.bits + static_cast<unsigned>(std::countr_zero(block.cell_count()));
        std::uint64_t hash = prefix.first(); // the smallest of the bucket's
        for (std::size_t at = 0; at < block.cell_count(); ++at, hash += std::uint64_t{1} << (64 - bits)) {
            PairBucket::for_each(block.cells<Cell>()[at], [&](std::uint64_t remainder, std::uint64_t value) {
                visit(MixedHash::inverse(hash + ((remainder - hash) & PairBucket::remainder_mask)), value);
            });
        }
    }

    static void release(Block& block, Shared& shared) {
        for (std::size_t at = 0; at < block.cell_count(); ++at)
            PairBucket::release(block.cells<Cell>()[at], shared.lines);
    }
};

} // namespace mxk
