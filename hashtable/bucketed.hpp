// A hash table with chaining in units of one cache line, made for tasks at memory speed: a bucket is a line of four
// pairs, so that most operations touch one line, which can be prefetched from the key alone. Keys are > 0. For one core
// at a time: no locks, no atomics, nothing about tasks; any number may read while nobody writes. The lines of the
// buckets are the caller's, those behind them come from a supply of the table's own.
//
//     buckets   | k k k k link | k - k - 0 | - - - - 0 |    a key stands once, in any line of its bucket; only the
//                         |                                 first line has empty places between others, only the one
//                         '-> k k - - -> k k k k -> 0       right behind it has some at its end
//
// A first line's link says which of its places are taken, how many the line right behind it has, and by a filter, which
// keys may be behind it at all. So a new key is put there without reading what is there, and one that is not there is
// seldom looked for.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/panic.hpp"
#include "base/prefetch.hpp"
#include "base/result.hpp"
#include "base/units.hpp"
#include "hashtable/insert.hpp"
#include "hashtable/line_supply.hpp"
#include "hashtable/multiplicative_cut.hpp"
#include "hashtable/pair_line.hpp"

namespace mxk {

// Every function: the owning core, never blocks, unless it says otherwise. Pointers to values hold until the next
// insert or erase of any key.
class Bucketed {
  public:
    using Bucket = PairLine;
    using Cut = MultiplicativeCut;
    using Placement = MultiplicativePlacement;

    // Keys per bucket that the table is made for: one key in 27 then stands behind its bucket's line.
    static constexpr std::size_t usual_load = 2;

    // Writes every line. The lines must outlive the table. `node`: where further lines are wanted.
    Bucketed(std::span<PairLine> lines, Placement const& placement, NodeId node)
        : lines_(lines.data())
        , placement_(placement)
        , bucket_count_(lines.size())
        , supply_(node) {
        std::fill(lines.begin(), lines.end(), PairLine{});
    }
    Bucketed(Bucketed const&) = delete;
    Bucketed& operator=(Bucketed const&) = delete;

    // Makes the lines in advance that `keys` keys spread at random are expected to need behind their buckets, and some
    // more. Errors: no memory. Blocks for the allocator's lock.
    Result<void> reserve(std::size_t keys);

    // Full only when a bucket is full and no node has memory for another line. Panics on key 0. Blocks (for the
    // allocator's lock) only when the lines made in advance are used up.
    Insert insert(std::uint64_t key, std::uint64_t value) {
        expect(key != 0, "a bucketed table has no key 0");
        Place const place = placement_.place(key);
        PairLine& line = lines_[place.bucket];
        if (taken_places_of(line, place.hash) != 0) return Insert::Present;
        if (line.link >= taken_mask) [[unlikely]] // full, or something behind it
            return insert_behind(line, place.hash, value);
        line.put(lowest_empty_place(line), place.hash, value);
        line.link |= line.link + 1;
        ++size_;
        return Insert::Inserted;
    }

    // The key's value, or null. Key 0 is never found.
    [[nodiscard]] std::uint64_t const* find(std::uint64_t key) const {
        Place const place = placement_.place(key);
        PairLine const& line = lines_[place.bucket];
        if (unsigned const found = taken_places_of(line, place.hash); found != 0) [[likely]]
            return &line.values[static_cast<unsigned>(std::countr_zero(found))];
        return line.link <= taken_mask ? nullptr : find_behind(line, place.hash);
    }
    [[nodiscard]] std::uint64_t* find(std::uint64_t key) {
        return const_cast<std::uint64_t*>(static_cast<Bucketed const&>(*this).find(key));
    }

    // False if the key is not there.
    bool erase(std::uint64_t key) {
        Place const place = placement_.place(key);
        PairLine& line = lines_[place.bucket];
        if (unsigned const found = taken_places_of(line, place.hash); found != 0) [[likely]] {
            line.link ^= found;
            --size_;
            return true;
        }
        return line.link > taken_mask && erase_behind(line, place.hash);
    }

    // The line that an operation on the key reads first, and mostly alone: for a task's annotation. Any core, at any
    // time: it reads nothing that the owner writes.
    [[nodiscard]] void const* line_of(std::uint64_t key) const { return &lines_[placement_(key)]; }
    void prefetch(std::uint64_t key) const { prefetch_for_read(line_of(key)); }
    // Once the key's first line is there: asks for the line behind it if the key may be in it.
    void prefetch_behind(std::uint64_t key) const {
        Place const place = placement_.place(key);
        PairLine const& line = lines_[place.bucket];
        bool const may_be_behind = (line.link & filter_bit(place.hash)) != 0;
        prefetch_for_read(may_be_behind ? behind(line) : &line);
    }

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::size_t bucket_count() const { return bucket_count_; }
    // How many lines there are behind those of the buckets.
    [[nodiscard]] std::size_t lines_behind() const { return supply_.in_use(); }

    // visit(bucket index, key, value) for every pair, bucket by bucket: for verification.
    template <typename Visit> void for_each(Visit visit) const {
        Placement::Inverse inverse(placement_);
        for (std::size_t bucket = 0; bucket < bucket_count_; ++bucket) {
            if (bucket > 0) inverse.next_bucket();
            PairLine const& first = lines_[bucket];
            visit_line(first, taken_places(first), bucket, inverse, visit);
            unsigned taken = taken_behind(first);
            for (PairLine const* line = behind(first); line != nullptr; line = behind(*line)) {
                visit_line(*line, taken, bucket, inverse, visit);
                taken = PairLine::all_places;
            }
        }
    }

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
        std::uint64_t const remainder = hash & Placement::remainder_mask;
        return std::uint64_t{1} << (filter_shift + (remainder * 0x9e37'79b9'7f4a'7c15 >> 60));
    }

    // Off the usual way, hence out of line: what needs more than the first line.
    Insert insert_behind(PairLine& first, std::uint64_t hash, std::uint64_t value);
    [[nodiscard]] static std::uint64_t* find_behind(PairLine const& first, std::uint64_t hash);
    bool erase_behind(PairLine& first, std::uint64_t hash);
    [[nodiscard]] static std::uint64_t filter_of(PairLine const& first);

    template <typename Visit>
    static void visit_line(PairLine const& line, unsigned taken, std::size_t bucket, Placement::Inverse const& inverse,
                           Visit& visit) {
        for (; taken != 0; taken &= taken - 1) {
            auto const i = static_cast<unsigned>(std::countr_zero(taken));
            visit(bucket, inverse.key(line.remainder(i)), line.values[i]);
        }
    }

    // Any core may read the first line of these, only the owner the others.
    alignas(cache_line_bytes) PairLine* lines_;
    Placement placement_;
    std::size_t bucket_count_;
    alignas(cache_line_bytes) std::size_t size_ = 0;
    LineSupply supply_;
};

} // namespace mxk
