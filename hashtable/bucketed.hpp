// A hash table with chaining in units of one cache line, made for tasks at memory speed: a bucket is a line of three
// pairs, so that most operations touch one line, which can be prefetched from the key alone. Keys are > 0. For one core
// at a time: no locks, no atomics, nothing about tasks; any number may read while nobody writes. The lines of the
// buckets are the caller's, those behind them come from a supply of the table's own.
//
//     buckets   | k k k link | k k - 0 | - - - 0 |      a key stands once, in any place of the lines of its bucket;
//                         |                             only the first line and the one right behind it have empty
//                         '-> k - - -> k k k            places, the latter at its end
//
// The link of a bucket's line says how many keys the line right behind it has, and its filter which keys may be behind
// it at all. So a new key is put there without reading it, and a key that is not there is seldom looked for behind.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/panic.hpp"
#include "base/result.hpp"
#include "base/units.hpp"
#include "hashtable/line_supply.hpp"
#include "hashtable/multiplicative_cut.hpp"
#include "hashtable/pair_line.hpp"

namespace mxk {

// What became of an insert. NoMemory: the table is as it was.
enum class Insert : std::uint8_t { Inserted, Present, NoMemory };

// Every function: the owning core; blocks only where it says so. Pointers to values hold until the next insert or erase
// of any key.
class Bucketed {
  public:
    using Bucket = PairLine;
    using Cut = MultiplicativeCut;
    using Placement = MultiplicativePlacement;

    // Keys per bucket that the table is made for: one key in nine then stands behind the first line.
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

    // NoMemory only when a bucket is full and no node has memory for another line. Panics on key 0. Blocks (for the
    // allocator's lock) only when the lines made in advance are used up.
    Insert insert(std::uint64_t key, std::uint64_t value) {
        expect(key != 0, "key 0 is an empty place");
        Place const place = placement_.place(key);
        PairLine& line = lines_[place.bucket];
        if (line.places_of(key) != 0) return Insert::Present;
        unsigned const empty = line.places_of(0);
        if (line.link != 0 || empty == 0) [[unlikely]]
            return insert_behind(line, place.rest, key, value);
        line.put(static_cast<std::size_t>(std::countr_zero(empty)), key, value);
        ++size_;
        return Insert::Inserted;
    }

    // The key's value, or null. Key 0 is never found.
    [[nodiscard]] std::uint64_t const* find(std::uint64_t key) const {
        Place const place = placement_.place(key);
        PairLine const& line = lines_[place.bucket];
        if (unsigned const found = line.places_of(key); found != 0 && key != 0) [[likely]]
            return &line.values[static_cast<std::size_t>(std::countr_zero(found))];
        return line.link == 0 ? nullptr : find_behind(line, place.rest, key);
    }
    [[nodiscard]] std::uint64_t* find(std::uint64_t key) {
        return const_cast<std::uint64_t*>(static_cast<Bucketed const&>(*this).find(key));
    }

    // False if the key is not there.
    bool erase(std::uint64_t key) {
        Place const place = placement_.place(key);
        PairLine& line = lines_[place.bucket];
        if (unsigned const found = line.places_of(key); found != 0 && key != 0) [[likely]] {
            line.keys[static_cast<std::size_t>(std::countr_zero(found))] = 0;
            --size_;
            return true;
        }
        return line.link != 0 && erase_behind(line, place.rest, key);
    }

    // The line that an operation on the key reads first, and mostly alone: for a task's annotation. Any core, at any
    // time: it reads nothing that the owner writes.
    [[nodiscard]] void const* line_of(std::uint64_t key) const { return &lines_[placement_(key)]; }
    void prefetch(std::uint64_t key) const { __builtin_prefetch(line_of(key), 1); }
    // Once the key's first line is there: asks for the line behind it if the key may be in it. For what has keys at
    // hand early; others only wait longer for one key in nine.
    void prefetch_behind(std::uint64_t key) const {
        Place const place = placement_.place(key);
        PairLine const& line = lines_[place.bucket];
        bool const may_be_behind = (line.filter & filter_bit(place.rest)) != 0;
        __builtin_prefetch(may_be_behind ? static_cast<void const*>(behind(line)) : &line);
    }

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::size_t bucket_count() const { return bucket_count_; }
    // How many lines there are behind those of the buckets.
    [[nodiscard]] std::size_t lines_behind() const { return supply_.in_use(); }

    // visit(bucket index, key, value) for every pair, bucket by bucket: for verification.
    template <typename Visit> void for_each(Visit visit) const {
        for (std::size_t bucket = 0; bucket < bucket_count_; ++bucket) {
            for (PairLine const* line = &lines_[bucket]; line != nullptr; line = behind(*line)) {
                for (std::size_t i = 0; i < PairLine::places; ++i)
                    if (line->keys[i] != 0) visit(bucket, line->keys[i], line->values[i]);
            }
        }
    }

  private:
    // A first line's link: the address of the line behind it and the number of keys there, 1 to 3; 0 for none. A later
    // line's link is an address only: all lines behind it are full.
    static constexpr std::uintptr_t count_mask = 3;
    static_assert(PairLine::places == count_mask && alignof(PairLine) > count_mask);

    static PairLine* behind(PairLine const& line) { return reinterpret_cast<PairLine*>(line.link & ~count_mask); }
    static std::size_t keys_behind(PairLine const& first) { return first.link & count_mask; }

    // One of 64, by bits of the key that the bucket does not depend on.
    static std::uint64_t filter_bit(std::uint64_t rest) { return std::uint64_t{1} << (rest >> 58); }

    // Off the usual way, hence out of line: what needs more than the first line.
    Insert insert_behind(PairLine& first, std::uint64_t rest, std::uint64_t key, std::uint64_t value);
    [[nodiscard]] static std::uint64_t const* find_behind(PairLine const& first, std::uint64_t rest, std::uint64_t key);
    bool erase_behind(PairLine& first, std::uint64_t rest, std::uint64_t key);
    [[nodiscard]] std::uint64_t filter_of(PairLine const& first) const;

    // Any core may read the first line of these, only the owner the others.
    alignas(cache_line_bytes) PairLine* lines_;
    Placement placement_;
    std::size_t bucket_count_;
    alignas(cache_line_bytes) std::size_t size_ = 0;
    LineSupply supply_;
};

} // namespace mxk
