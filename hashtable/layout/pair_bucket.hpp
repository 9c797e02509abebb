// A bucket of pairs: a cache line of four, and lines behind it when they are not enough. What Bucketed and LinearLines
// have in common: neither which bucket a key has, nor how many keys there are, is known here.
//
//     first     | k k k k link | k - k - 0 | - - - - 0 |    a key stands once, in any line of its bucket; only the
//                         |                                 first line has empty places between others, only the one
//                         '-> k k - - -> k k k k -> 0       right behind it has some at its end
//
// A first line's link says which of its places are taken, how many the line right behind it has, and by a filter, which
// keys may be behind it at all. So a new key is put there without reading what is there, and one that is not there is
// seldom looked for. Keys are told apart by their hashes' low 48 bits; all of a bucket have the same 16 above.
//
// One core changes a bucket, its owner; any other may read() it meanwhile. What an insert or an overwrite writes
// disturbs no reader: a place says nothing until the link has its bit, and a value is one store. An erase, behind which
// a place may get another key, counts the link's version on; a reader looks at that before and after.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/inject.hpp"
#include "base/prefetch.hpp"
#include "hashtable/fraction.hpp"
#include "hashtable/insert.hpp"
#include "hashtable/layout/line_supply.hpp"
#include "hashtable/layout/pair_line.hpp"

namespace mxk {

// For the owning core, but for read(); never blocks but for memory, where a supply is given.
class PairBucket {
  public:
    static constexpr unsigned remainder_bits = 48;
    static constexpr std::uint64_t remainder_mask = (std::uint64_t{1} << remainder_bits) - 1;

    // Full only when the bucket is full and no node has memory for another line.
    static Insert insert(PairLine& first, std::uint64_t hash, std::uint64_t value, LineSupply& supply) {
        if (taken_places_of(first, hash) != 0) return Insert::Present;
        if (!has_place(first)) [[unlikely]]
            return insert_behind(first, hash, value, supply);
        put(first, hash, value);
        return Insert::Inserted;
    }
    // Whether the first line has a place and nothing is behind it: then this is all that an insert has to know.
    static bool has_place(PairLine const& first) { return unversioned(first.link()) < unversioned(taken_mask); }
    // Into a first line that has a place, a key that is not there.
    static void put(PairLine& first, std::uint64_t hash, std::uint64_t value) {
        std::uint64_t const link = first.link();
        first.put(lowest_empty_place(link), hash, value);
        first.set_link(link | (link + 1));
    }
    static bool is_in_first(PairLine const& first, std::uint64_t hash) { return taken_places_of(first, hash) != 0; }

    // The value, or null.
    static PairLine::Value* find(PairLine& first, std::uint64_t hash) {
        if (unsigned const found = taken_places_of(first, hash); found != 0) [[likely]]
            return &first.values[static_cast<unsigned>(std::countr_zero(found))];
        return has_lines_behind(first.link()) ? find_behind(first, hash) : nullptr;
    }

    // What another core reads while the owner goes on. There and Absent are what the bucket had at one moment between
    // beginning and end; Changed: the owner has erased meanwhile, so that it has to be read again; Behind: the key is
    // not in the first line, and may be in one behind it. The version has seven bits: the caller sees to it that 128
    // erases do not pass for none (Bucketed).
    enum class Seen : std::uint8_t { There, Absent, Changed, Behind };
    struct Reading {
        Seen seen;
        std::uint64_t value; // if it is there
    };
    [[gnu::always_inline]] static Reading read_first(PairLine const& first, std::uint64_t hash) {
        // acquire: of the places that are taken here, the keys are seen.
        std::uint64_t const link = first.link(std::memory_order_acquire);
        inject::point();
        unsigned const found = first.places_of(hash) & taken_places(link);
        if (found == 0) [[unlikely]]
            return {(link & filter_bit(hash)) == 0 ? Seen::Absent : Seen::Behind, 0};
        inject::point();
        // acquire: who sees a later key's value sees in the link that the place was lost.
        std::uint64_t const value =
            first.value(static_cast<unsigned>(std::countr_zero(found)), std::memory_order_acquire);
        return {is_unchanged(first, link) ? Seen::There : Seen::Changed, value};
    }
    // With the lines behind, never Behind.
    static Reading read(PairLine const& first, std::uint64_t hash) {
        std::uint64_t const link = first.link(std::memory_order_acquire);
        Reading const in_first = read_first(first, hash);
        return in_first.seen == Seen::Behind ? read_behind(first, link, hash) : in_first;
    }

    // False if the key is not there.
    static bool erase(PairLine& first, std::uint64_t hash, LineSupply& supply) {
        if (unsigned const found = taken_places_of(first, hash); found != 0) [[likely]] {
            first.set_link((first.link() ^ found) + one_erase);
            return true;
        }
        return has_lines_behind(first.link()) && erase_behind(first, hash, supply);
    }

    // Whether an operation on the key has to look behind the first line: there are lines behind, and the key is not in
    // the first. Such operations may come after others that follow them, of which this is not so: in a bucket with
    // lines behind, those only find their keys in the first line, and what is behind stays as it is.
    static bool is_behind(PairLine const& first, std::uint64_t hash) {
        return taken_places_of(first, hash) == 0 && has_lines_behind(first.link());
    }
    // Once the first line is there: asks for the line behind it if the key may be in it.
    static void prefetch_behind(PairLine const& first, std::uint64_t hash) {
        std::uint64_t const link = first.link(std::memory_order_relaxed); // also of a reader
        bool const may_be_behind = (link & filter_bit(hash)) != 0;
        prefetch_for_read(may_be_behind ? behind(link) : &first);
    }

    // Of a bucket's keys those whose hashes have this bit.
    struct Half {
        unsigned bit;
        [[nodiscard]] bool has(std::uint64_t remainder) const { return (remainder >> bit & 1) != 0; }
    };
    // Copies a half into another bucket, which has none of its keys. False if there is no memory: then it has some.
    static bool copy(PairLine const& from, PairLine& to, Half half, LineSupply& supply);
    // Takes a half out of a bucket, and keeps the other one in as few lines as it needs. For a reader that is one
    // erase.
    static void remove(PairLine& first, Half half, LineSupply& supply) {
        std::uint64_t const link = first.link();
        if (has_lines_behind(link)) [[unlikely]]
            return remove_behind(first, half, supply);
        unsigned removed = 0;
        for (unsigned i = 0; i < PairLine::places; ++i) removed |= unsigned{half.has(first.remainder(i))} << i;
        first.set_link((link & ~std::uint64_t{removed}) + one_erase);
    }
    // Once the first line is there: asks for the one behind it.
    static void prefetch_all_behind(PairLine const& first) { prefetch_for_read(behind(first.link())); }

    // visit(remainder, value) for every pair.
    template <typename Visit> static void for_each(PairLine const& first, Visit visit) {
        visit_line(first, taken_places(first.link()), visit);
        unsigned taken = taken_behind(first.link());
        for (PairLine const* line = behind(first.link()); line != nullptr; line = behind(line->link())) {
            visit_line(*line, taken, visit);
            taken = PairLine::all_places;
        }
    }

    // Gives the lines behind back; their keys are gone.
    static void release(PairLine& first, LineSupply& supply);

  private:
    // A first line's link. All 0 but the version and the taken places while there is no line behind it.
    //
    //     63    57        56       55    48   47              6     5             4   3          0
    //     | erases | changes behind | filter | address of a line | keys in it, less 1 | taken places |
    //
    // A later line's link is an address only: all behind it are full. The addresses of the kernel, and of a program's
    // memory, are 48 bits with a sign.
    static constexpr std::uint64_t taken_mask = PairLine::all_places;
    static constexpr unsigned count_shift = 4;
    static constexpr std::uint64_t count_mask = 3 << count_shift;
    static constexpr std::uint64_t one_key = 1 << count_shift;
    static constexpr unsigned address_bits = 48;
    static constexpr unsigned filter_shift = address_bits;
    static constexpr std::uint64_t filter_mask = std::uint64_t{0xff} << filter_shift;
    // At the top, so that counting on carries into nothing.
    static constexpr unsigned version_shift = 56;
    static constexpr std::uint64_t changes_behind = std::uint64_t{1} << version_shift;
    static constexpr std::uint64_t one_erase = changes_behind << 1;
    static constexpr std::uint64_t version_mask = ~std::uint64_t{0} << version_shift;
    static_assert((taken_mask | count_mask) == alignof(PairLine) - 1);

    static constexpr std::uint64_t unversioned(std::uint64_t link) { return link << (64 - version_shift); }
    static bool has_lines_behind(std::uint64_t link) { return unversioned(link) > unversioned(taken_mask); }
    static bool is_unchanged(PairLine const& first, std::uint64_t link) {
        // acquire: who sees a version that has come again sees the era that has ended since (Bucketed).
        return ((first.link(std::memory_order_acquire) ^ link) & version_mask) == 0;
    }

    static unsigned taken_places(std::uint64_t link) { return static_cast<unsigned>(link & taken_mask); }
    static unsigned taken_places_of(PairLine const& first, std::uint64_t hash) {
        return first.places_of(hash) & taken_places(first.link());
    }
    // A place to put a key.
    static std::size_t lowest_empty_place(std::uint64_t link) {
        return static_cast<unsigned>(std::countr_one(static_cast<unsigned>(link)));
    }

    static PairLine* behind(std::uint64_t link) {
        auto const address = static_cast<std::int64_t>(link << (64 - address_bits)) >> (64 - address_bits);
        return reinterpret_cast<PairLine*>(static_cast<std::uintptr_t>(address) & ~(taken_mask | count_mask));
    }
    static std::uint64_t address_of(PairLine const* line) {
        return reinterpret_cast<std::uintptr_t>(line) & ~(filter_mask | version_mask);
    }
    static std::size_t keys_behind(std::uint64_t link) { return ((link & count_mask) >> count_shift) + 1; }
    static unsigned taken_behind(std::uint64_t link) { return (1U << keys_behind(link)) - 1; }

    // One of 8. The buckets' keys are neighbours, so that the high bits of the remainder alone say little.
    static std::uint64_t filter_bit(std::uint64_t hash) {
        std::uint64_t const remainder = hash & remainder_mask;
        return std::uint64_t{1} << (filter_shift + (remainder * golden_ratio >> 61));
    }

    // The slow ways, hence out of line: what needs more than the first line.
    static Insert insert_behind(PairLine& first, std::uint64_t hash, std::uint64_t value, LineSupply& supply);
    [[nodiscard]] static PairLine::Value* find_behind(PairLine const& first, std::uint64_t hash);
    static bool erase_behind(PairLine& first, std::uint64_t hash, LineSupply& supply);
    static void remove_behind(PairLine& first, Half half, LineSupply& supply);
    [[nodiscard]] static std::uint64_t filter_of(std::uint64_t link);
    static Reading read_behind(PairLine const& first, std::uint64_t link, std::uint64_t hash);

    template <typename Visit> static void visit_line(PairLine const& line, unsigned taken, Visit&& visit) {
        for (; taken != 0; taken &= taken - 1) {
            auto const i = static_cast<unsigned>(std::countr_zero(taken));
            visit(line.remainder(i), line.value(i, std::memory_order_relaxed));
        }
    }
};

} // namespace mxk
