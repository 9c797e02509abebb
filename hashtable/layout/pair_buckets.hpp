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
#include "hashtable/hash.hpp"
#include "hashtable/layout/block.hpp"
#include "hashtable/layout/line_supply.hpp"
#include "hashtable/layout/pair_bucket.hpp"
#include "hashtable/partition/fraction.hpp"

namespace mxk {

class PairBuckets {
  public:
    using Key = std::uint64_t;
    using Item = std::uint64_t;
    using Cell = PairLine;
    struct Home {
        PairLine* first;
        std::uint64_t hash;
    };
    // Where lines behind buckets come from.
    struct Shared {
        explicit Shared(NodeId node)
            : lines(node) {}
        LineSupply lines;
    };
    static constexpr std::size_t block_bytes = 64 * 1024;
    static constexpr std::size_t keys_per_cell = PairLine::places;
    static constexpr double usual_load = 0.75; // three keys in a bucket; one in six has some behind its line
    static constexpr bool powers_of_two = true;
    // Of all tables together whose keys' hashes differ in their leading bits only.
    static constexpr std::size_t least_cells = std::size_t{1} << 16;

    static Home home(Block const& block, HashPlace const& place) {
        return {block.cells<Cell>() + high_product(place.fraction(), block.cell_count()), place.hash};
    }

    static BlockInsert insert(Block& block, Home const& home, Key, std::uint64_t value) {
        if (PairBucket::is_in_first(*home.first, home.hash)) [[unlikely]]
            return BlockInsert::Present;
        if (!PairBucket::has_place(*home.first) || block.room <= 0) [[unlikely]]
            return BlockInsert::NoPlace;
        PairBucket::put(*home.first, home.hash, value);
        --block.room;
        return BlockInsert::Inserted;
    }
    template <typename HomeOf>
    static BlockInsert insert_far(Block& block, Home const& home, Key, std::uint64_t value, std::int32_t,
                                  Shared& shared, HomeOf) {
        switch (PairBucket::insert(*home.first, home.hash, value, shared.lines)) {
        case Insert::Inserted: --block.room; return BlockInsert::Inserted;
        case Insert::Present: return BlockInsert::Present;
        case Insert::Full: break;
        }
        return BlockInsert::NoPlace;
    }

    static std::uint64_t* find(Block const&, Home const& home, Key) { return PairBucket::find(*home.first, home.hash); }

    static bool erase(Block& block, Home const& home, Key, Shared& shared) {
        if (!PairBucket::erase(*home.first, home.hash, shared.lines)) return false;
        ++block.room;
        return true;
    }

    // False if there is no memory.
    template <typename HomeOf>
    static bool put(Block& block, Home const& home, Key, std::uint64_t value, Shared& shared, HomeOf) {
        if (PairBucket::insert(*home.first, home.hash, value, shared.lines) != Insert::Inserted) return false;
        --block.room;
        return true;
    }

    static void prefetch(Block const&, Home const& home) { prefetch_for_read(home.first); }
    static void prefetch_behind(Home const& home) { PairBucket::prefetch_behind(*home.first, home.hash); }

    // visit(key, value) for every pair.
    template <typename Visit> static void for_each(Block const& block, HashRange const& range, Visit visit) {
        unsigned const bits = range.bits + static_cast<unsigned>(std::countr_zero(block.cell_count()));
        std::uint64_t hash = range.first; // the least of the bucket's
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
