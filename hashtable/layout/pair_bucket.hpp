// A bucket of pairs: a cache line of four, and lines behind it when they are not enough. What Bucketed and PairBuckets
// have in common: neither which bucket a key has, nor how many keys there are, is known here.
//
//     first     | k k k k link | k - k - 0 | - - - - 0 |    a key stands once, in any line of its bucket; only the
//                         |                                 first line has empty places between others, only the one
//                         '-> k k - - -> k k k k -> 0       right behind it has some at its end
//
// A first line's link says which of its places are taken, how many the line right behind it has, and by a filter, which
// keys may be behind it at all. So a new key is put there without reading what is there, and one that is not there is
// seldom looked for. Keys are told apart by their hashes' low 48 bits; all of a bucket have the same 16 above.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/prefetch.hpp"
#include "hashtable/fraction.hpp"
#include "hashtable/insert.hpp"
#include "hashtable/layout/line_supply.hpp"
#include "hashtable/layout/pair_line.hpp"

namespace mxk {

// For the owning core; never blocks but for memory, where a supply is given.
class PairBucket {
  public:
    static constexpr std::uint64_t remainder_mask = (std::uint64_t{1} << 48) - 1;

    // Full only when the bucket is full and no node has memory for another line.
    static Insert insert(PairLine& first, std::uint64_t hash, std::uint64_t value, LineSupply& supply) {
        if (taken_places_of(first, hash) != 0) return Insert::Present;
        if (!has_place(first)) [[unlikely]]
            return insert_behind(first, hash, value, supply);
        put(first, hash, value);
        return Insert::Inserted;
    }
    // Whether the first line has a place and nothing is behind it: then this is all that an insert has to know.
    static bool has_place(PairLine const& first) { return first.link < taken_mask; }
    // Into a first line that has a place, a key that is not there.
    static void put(PairLine& first, std::uint64_t hash, std::uint64_t value) {
        first.put(lowest_empty_place(first), hash, value);
        first.link |= first.link + 1;
    }
    static bool is_in_first(PairLine const& first, std::uint64_t hash) { return taken_places_of(first, hash) != 0; }

    // The value, or null.
    static std::uint64_t* find(PairLine& first, std::uint64_t hash) {
        if (unsigned const found = taken_places_of(first, hash); found != 0) [[likely]]
            return &first.values[static_cast<unsigned>(std::countr_zero(found))];
        return first.link <= taken_mask ? nullptr : find_behind(first, hash);
    }

    // False if the key is not there.
    static bool erase(PairLine& first, std::uint64_t hash, LineSupply& supply) {
        if (unsigned const found = taken_places_of(first, hash); found != 0) [[likely]] {
            first.link ^= found;
            return true;
        }
        return first.link > taken_mask && erase_behind(first, hash, supply);
    }

    // Whether an operation on the key has to look behind the first line: there are lines behind, and the key is not in
    // the first. Such operations may come after others that follow them, of which this is not so: in a bucket with
    // lines behind, those only find their keys in the first line, and what is behind stays as it is.
    static bool is_behind(PairLine const& first, std::uint64_t hash) {
        return taken_places_of(first, hash) == 0 && first.link > taken_mask;
    }
    // Once the first line is there: asks for the line behind it if the key may be in it.
    static void prefetch_behind(PairLine const& first, std::uint64_t hash) {
        bool const may_be_behind = (first.link & filter_bit(hash)) != 0;
        prefetch_for_read(may_be_behind ? behind(first) : &first);
    }

    // visit(remainder, value) for every pair.
    template <typename Visit> static void for_each(PairLine const& first, Visit visit) {
        visit_line(first, taken_places(first), visit);
        unsigned taken = taken_behind(first);
        for (PairLine const* line = behind(first); line != nullptr; line = behind(*line)) {
            visit_line(*line, taken, visit);
            taken = PairLine::all_places;
        }
    }

    // Gives the lines behind back; their keys are gone.
    static void release(PairLine& first, LineSupply& supply);

  private:
    // A first line's link. All 0 but the taken places while there is no line behind it.
    //
    //     63     48   47              6     5             4   3          0
    //     | filter | address of a line | keys in it, less 1 | taken places |
    //
    // A later line's link is an address only: all behind it are full. The addresses of the kernel, and of a program's
    // memory, are 48 bits with a sign.
    static constexpr std::uint64_t taken_mask = PairLine::all_places;
    static constexpr unsigned count_shift = 4;
    static constexpr std::uint64_t count_mask = 3 << count_shift;
    static constexpr std::uint64_t one_key = 1 << count_shift;
    static constexpr unsigned filter_shift = 48;
    static constexpr std::uint64_t filter_mask = std::uint64_t{0xffff} << filter_shift;
    static_assert((taken_mask | count_mask) == alignof(PairLine) - 1);

    static unsigned taken_places(PairLine const& first) { return static_cast<unsigned>(first.link & taken_mask); }
    static unsigned taken_places_of(PairLine const& first, std::uint64_t hash) {
        return first.places_of(hash) & static_cast<unsigned>(first.link);
    }
    // A place to put a key.
    static std::size_t lowest_empty_place(PairLine const& first) {
        return static_cast<unsigned>(std::countr_one(static_cast<unsigned>(first.link)));
    }

    static PairLine* behind(PairLine const& line) {
        auto const address = static_cast<std::int64_t>(line.link << 16) >> 16;
        return reinterpret_cast<PairLine*>(static_cast<std::uintptr_t>(address) & ~(taken_mask | count_mask));
    }
    static std::uint64_t address_bits(PairLine const& line) {
        return reinterpret_cast<std::uintptr_t>(&line) & ~filter_mask;
    }
    static std::size_t keys_behind(PairLine const& first) { return ((first.link & count_mask) >> count_shift) + 1; }
    static unsigned taken_behind(PairLine const& first) { return (1U << keys_behind(first)) - 1; }

    // One of 16. The buckets' keys are neighbours, so that the high bits of the remainder alone say little.
    static std::uint64_t filter_bit(std::uint64_t hash) {
        std::uint64_t const remainder = hash & remainder_mask;
        return std::uint64_t{1} << (filter_shift + (remainder * golden_ratio >> 60));
    }

    // The slow ways, hence out of line: what needs more than the first line.
    static Insert insert_behind(PairLine& first, std::uint64_t hash, std::uint64_t value, LineSupply& supply);
    [[nodiscard]] static std::uint64_t* find_behind(PairLine const& first, std::uint64_t hash);
    static bool erase_behind(PairLine& first, std::uint64_t hash, LineSupply& supply);
    [[nodiscard]] static std::uint64_t filter_of(PairLine const& first);

    template <typename Visit> static void visit_line(PairLine const& line, unsigned taken, Visit& visit) {
        for (; taken != 0; taken &= taken - 1) {
            auto const i = static_cast<unsigned>(std::countr_zero(taken));
            visit(line.remainder(i), line.values[i]);
        }
    }
};

} // namespace mxk
