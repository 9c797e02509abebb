// A hash table with chaining in units of one cache line, made for tasks at memory speed: a bucket is a line of four
// pairs, so that an operation mostly touches one line, which can be prefetched from the key alone. Keys are > 0. For
// one core at a time, its owner: no locks, nothing about tasks. Any other may read() meanwhile, in place. The lines of
// the buckets are the caller's, those behind them come from a supply of the table's own.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <span>

#include "base/panic.hpp"
#include "base/prefetch.hpp"
#include "base/result.hpp"
#include "base/units.hpp"
#include "hashtable/insert.hpp"
#include "hashtable/layout/line_supply.hpp"
#include "hashtable/layout/pair_bucket.hpp"
#include "hashtable/layout/pair_line.hpp"
#include "hashtable/partition/multiplicative_cut.hpp"
#include "hashtable/value_writes.hpp"

namespace mxk {

// Every function: the owning core, never blocks, unless it says otherwise. Pointers to values hold until the next
// insert or erase of any key.
class Bucketed : public ValueWrites<Bucketed> {
  public:
    using Bucket = PairLine;
    using Cut = MultiplicativeCut;
    using Placement = MultiplicativePlacement;

    // Where a key belongs, for as long as the table lives.
    struct Position {
        std::uint64_t hash;
        PairLine* line;
    };
    [[nodiscard]] Position position(std::uint64_t key) const {
        return {Placement::hash(key), &lines_[placement_(key)]};
    }

    // Keys per bucket that the table is made for: one key in 27 then stands behind its bucket's line.
    static constexpr std::size_t default_load = 2;

    // Writes every line. The lines must outlive the table. `node`: where further lines are wanted.
    Bucketed(std::span<PairLine> lines, Placement const& placement, NodeId node)
        : lines_(lines.data())
        , placement_(placement)
        , bucket_count_(lines.size())
        , supply_(node) {
        for (PairLine& line : lines) new (static_cast<void*>(&line)) PairLine();
    }
    Bucketed(Bucketed const&) = delete;
    Bucketed& operator=(Bucketed const&) = delete;

    // Makes the lines in advance that `keys` keys spread at random are expected to need behind their buckets, and some
    // more. Errors: no memory. Blocks for the allocator's lock.
    Result<void> reserve(std::size_t keys);

    // Full only when a bucket is full and no node has memory for another line. Panics on key 0. Blocks (for the
    // allocator's lock) only when the lines made in advance are used up.
    Insert insert(std::uint64_t key, std::uint64_t value) { return insert(key, value, position(key)); }
    Insert insert(std::uint64_t key, std::uint64_t value, Position const& at) {
        expect(key != 0, "a bucketed table has no key 0");
        Insert const result = PairBucket::insert(*at.line, at.hash, value, supply_);
        if (result == Insert::Inserted) [[likely]]
            ++inserts_;
        return result;
    }

    // The key's value, or null. Key 0 is never found.
    [[nodiscard]] PairLine::Value const* find(std::uint64_t key) const { return find(key, position(key)); }
    [[nodiscard]] PairLine::Value* find(std::uint64_t key) { return find(key, position(key)); }
    [[nodiscard]] static PairLine::Value* find(std::uint64_t, Position const& at) {
        return PairBucket::find(*at.line, at.hash);
    }

    // False if the key is not there.
    bool erase(std::uint64_t key) { return erase(key, position(key)); }
    bool erase(std::uint64_t, Position const& at) {
        bool const erased = PairBucket::erase(*at.line, at.hash, supply_);
        if (!erased) return false;
        if (++erases_ % erases_per_era == 0) [[unlikely]]
            eras_.store(erases_ / erases_per_era, std::memory_order_release);
        return true;
    }

    // The key's value, or nothing, at a moment between beginning and end: for any core or thread, while the owner goes
    // on. Takes no lock and writes nothing. It is repeated where the owner erases in the same bucket meanwhile, and
    // waits, by polling, for an erase of the owner's that moves keys behind the bucket's first line.
    [[nodiscard]] std::optional<std::uint64_t> read(std::uint64_t key) const { return read(position(key)); }
    [[nodiscard]] std::optional<std::uint64_t> read(Position const& at) const;
    // The same as far as the first line tells: else read() does (Changed, Behind).
    using Seen = PairBucket::Seen;
    [[nodiscard]] [[gnu::always_inline]] PairBucket::Reading read_first(Position const& at) const {
        return in_one_era([&] { return PairBucket::read_first(*at.line, at.hash); });
    }

    // The line that an operation on the key reads first, and mostly alone: for a task's annotation. Any core, at any
    // time: it reads nothing that the owner writes.
    [[nodiscard]] void const* line_of(std::uint64_t key) const { return &lines_[placement_(key)]; }
    void prefetch(std::uint64_t key) const { prefetch_far(line_of(key)); }
    static void prefetch(Position const& at) { prefetch_far(at.line); }
    // Once that line is there: whether the key may only be in lines behind it (PairBucket says what that means), and
    // asks for the one right behind it if the key may be in it.
    static bool is_behind(std::uint64_t, Position const& at) { return PairBucket::is_behind(*at.line, at.hash); }
    static void const* first_line(Position const& at) { return at.line; }
    static void prefetch_behind(std::uint64_t, Position const& at) { PairBucket::prefetch_behind(*at.line, at.hash); }
    // The latter for one that reads in place.
    static void prefetch_behind_to_read(Position const& at) { PairBucket::prefetch_behind(*at.line, at.hash); }

    [[nodiscard]] std::size_t size() const { return inserts_ - erases_; }
    [[nodiscard]] std::size_t bucket_count() const { return bucket_count_; }
    // How many lines there are behind those of the buckets.
    [[nodiscard]] std::size_t lines_behind() const { return supply_.in_use(); }

    // visit(bucket index, key, value) for every pair, bucket by bucket: for verification.
    template <typename Visit> void for_each(Visit visit) const {
        Placement::Inverse inverse(placement_);
        for (std::size_t bucket = 0; bucket < bucket_count_; ++bucket) {
            if (bucket > 0) inverse.next_bucket();
            PairBucket::for_each(lines_[bucket], [&](std::uint64_t remainder, std::uint64_t value) {
                visit(bucket, inverse.key(remainder), value);
            });
        }
    }

  private:
    // A bucket's version counts 128 erases and begins anew. Of so many of a bucket, one or more end an era that
    // began behind the first look at the version: by that a reader notices.
    static constexpr std::uint64_t erases_per_era = 64;
    [[gnu::always_inline]] PairBucket::Reading in_one_era(auto read_bucket) const {
        // acquire: it is not younger than the link that is read then.
        std::uint64_t const era = eras_.load(std::memory_order_acquire);
        PairBucket::Reading reading = read_bucket();
        // relaxed: not older than the link that was read last, by acquire.
        if (eras_.load(std::memory_order_relaxed) != era) [[unlikely]]
            reading.seen = PairBucket::Seen::Changed;
        return reading;
    }

    // Any core may read the first line of these, only the owner the others.
    alignas(cache_line_bytes) PairLine* lines_;
    Placement placement_;
    std::size_t bucket_count_;
    std::atomic<std::uint64_t> eras_{0};
    alignas(cache_line_bytes) std::uint64_t inserts_ = 0;
    std::uint64_t erases_ = 0;
    LineSupply supply_;
};

} // namespace mxk
