// The buckets of a table that grows bucket by bucket: linear hashing (Litwin, "Linear Hashing: A New Tool for File and
// Table Addressing", VLDB 1980). Bits of a key's hash are its number, the last bits of which say which bucket it is in:
// as many as all buckets have, or one less where there is no such bucket yet. With each step of growth one more bucket
// comes, and takes half of the keys of the one that had them: the next in turn, however full it is.
//
//     6 buckets   | 0 | 1 | 2 | 3 | 4 | 5 |      a number that ends in 110 is in bucket 2 (10), since there is no 6
//     (110)
//                           |               |    the next step: a part of 2's keys goes to 6
//                           '-------------> 6
//
// So the table is always as full as it is to be, a key is copied half a time on the average as a table grows from
// almost nothing, memory comes in small steps, and no bucket ever moves. That buckets which were not yet divided are
// twice as full as the others is what lines behind them are for (pair_bucket.hpp).
//
// One core changes the table, its owner; any other may read() it meanwhile. A word, the shape, says how many buckets
// there are; it also counts what a bucket's own version does not: 64 erases, buckets that were made one again, and
// memory that was moved. A reader looks at it before and after.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/result.hpp"
#include "base/units.hpp"
#include "hashtable/insert.hpp"
#include "hashtable/layout/block.hpp"
#include "hashtable/layout/line_supply.hpp"
#include "hashtable/layout/pair_bucket.hpp"
#include "hashtable/layout/pair_line.hpp"
#include "hashtable/table/line_segments.hpp"

namespace mxk {

// Of hashes, all 64 bits of which tell keys apart. Every function: the owning core, and never blocks, unless it says
// otherwise.
class LinearLines {
  public:
    // What PairBucket does not keep of a hash is said by its bucket.
    static constexpr unsigned bits_by_bucket = 16;

    // `keys_per_line`: when the table grows, counting also the lines behind buckets. Errors: no memory. May block for
    // the allocator's lock, as whatever adds lines.
    static Result<LinearLines> create(std::size_t lines, double keys_per_line, NodeId node, HashPrefix prefix);
    // Nobody reads the other one.
    LinearLines(LinearLines&& other) noexcept;
    LinearLines& operator=(LinearLines&&) = delete;

    // Where a hash belongs: for the owner until moves change, for readers as long as the shape is the same.
    struct Position {
        std::uint64_t hash;
        LinearLines* lines;
        PairLine* cell;
        std::uint64_t shape;
    };
    // Any core.
    [[nodiscard]] [[gnu::always_inline]] Position position(std::uint64_t hash) const {
        // acquire: who sees that there is a bucket sees what is in it.
        std::uint64_t const shape = shape_.load(std::memory_order_acquire);
        return {hash, const_cast<LinearLines*>(this), segments_.at(bucket(number(hash), buckets_in(shape))), shape};
    }

    static Insert insert(Position const& at, std::uint64_t value) {
        Insert const result = PairBucket::insert(*at.cell, at.hash, value, at.lines->supply_);
        if (result == Insert::Inserted) [[likely]]
            ++at.lines->keys_;
        return result;
    }
    // The fast way: nothing if the bucket has no place, or if there is work to do.
    [[gnu::always_inline]] static std::optional<Insert> try_insert(Position const& at, std::uint64_t value) {
        if (PairBucket::is_in_first(*at.cell, at.hash)) [[unlikely]]
            return Insert::Present;
        if (!PairBucket::has_place(*at.cell) || at.lines->is_crowded()) [[unlikely]]
            return std::nullopt;
        PairBucket::put(*at.cell, at.hash, value);
        ++at.lines->keys_;
        return Insert::Inserted;
    }
    static bool erase(Position const& at) {
        if (!PairBucket::erase(*at.cell, at.hash, at.lines->supply_)) return false;
        --at.lines->keys_;
        at.lines->count_erase();
        return true;
    }

    // For any core, in a task's body or a read section of RCU, while the owner goes on: as Bucketed's.
    [[nodiscard]] std::optional<std::uint64_t> read(Position const& at) const;
    [[nodiscard]] [[gnu::always_inline]] PairBucket::Reading read_first(Position const& at) const {
        if (!is_unchanged(at)) [[unlikely]]
            return read_first_of(at.hash);
        return read_first_at(at);
    }
    // relaxed: the same as then; or behind what a reader has read by acquire, and not older than that.
    [[nodiscard]] bool is_unchanged(Position const& at) const {
        return shape_.load(std::memory_order_relaxed) == at.shape;
    }

    // There are more keys than are to be, by some.
    [[nodiscard]] bool is_crowded() const { return keys_ >= crowded_at_; }
    // So many that an insert does the work.
    [[nodiscard]] bool is_overcrowded() const { return keys_ >= crowded_at_ + 8 * step(); }
    // There is a quarter of the keys that the lines are for, or less; from then on until there is half of them. Never
    // with as many lines as at the beginning.
    [[nodiscard]] bool is_sparse() const { return keys_ < sparse_below_; }
    enum class Done : std::uint8_t { All, Some, NoMemory };
    // Some buckets more, or less. Blocks for the allocator's lock.
    Done grow();
    Done shrink();
    // Lines behind buckets stay where they are; further ones come from there.
    void move_to(NodeId node) {
        segments_.move_to(node);
        supply_.set_node(node);
    }
    [[nodiscard]] bool is_moving() const { return segments_.is_moving(); }
    // A segment. Blocks for the allocator's lock.
    void move_next() {
        segments_.move_next(constructed_, [this] { add_to_shape(one_era); });
    }

    [[nodiscard]] std::size_t size() const { return keys_; }
    [[nodiscard]] std::size_t buckets() const { return buckets_in(shape_.load(std::memory_order_relaxed)); }
    [[nodiscard]] std::size_t lines() const { return buckets() + supply_.in_use(); }
    // Memory that it has.
    [[nodiscard]] std::size_t bytes() const { return (segments_.size() + supply_.made()) * sizeof(PairLine); }
    [[nodiscard]] NodeId node() const { return segments_.node(); }

    // visit(hash, value) for every pair.
    template <typename Visit> void for_each(Visit visit) const {
        for (std::size_t at = 0; at < buckets(); ++at) {
            std::uint64_t const high = first_hash_ | (at & low_mask_) << PairBucket::remainder_bits;
            PairBucket::for_each(*segments_.at(at),
                                 [&](std::uint64_t remainder, std::uint64_t value) { visit(high | remainder, value); });
        }
    }

  private:
    [[nodiscard]] PairBucket::Reading read_first_of(std::uint64_t hash) const;
    [[nodiscard]] [[gnu::always_inline]] PairBucket::Reading read_first_at(Position const& at) const {
        PairBucket::Reading reading = PairBucket::read_first(*at.cell, at.hash);
        if (!is_unchanged(at)) [[unlikely]]
            reading.seen = PairBucket::Seen::Changed;
        return reading;
    }

    LinearLines(NodeId node, HashPrefix prefix, double keys_per_line);

    // A hash's number: of what a line does not keep, what the prefix does not say; then bits from here on.
    static constexpr unsigned further_bits_from = 24;
    [[nodiscard]] std::size_t max_buckets() const { // as many as the bits tell apart
        return std::min(LineSegments::max_lines, low_count_ << (PairBucket::remainder_bits - further_bits_from));
    }
    [[nodiscard]] std::uint64_t number(std::uint64_t hash) const {
        return (hash >> PairBucket::remainder_bits & low_mask_) | (hash >> further_bits_from) * low_count_;
    }
    // By how many bits are counted, which bit of the hash this is.
    [[nodiscard]] unsigned bit_of_hash(unsigned bit_of_number) const {
        return further_bits_from + bit_of_number - static_cast<unsigned>(std::countr_zero(low_count_));
    }
    // `buckets` > 1
    static std::size_t bucket(std::uint64_t number, std::size_t buckets) {
        std::size_t const mask = ~std::size_t{0} >> std::countl_zero(buckets - 1);
        std::size_t const at = number & mask;
        return at < buckets ? at : at & mask >> 1;
    }

    // The shape: how many buckets there are, and the era.
    static constexpr unsigned bucket_bits = 32;
    static constexpr std::uint64_t one_era = std::uint64_t{1} << bucket_bits;
    static constexpr std::size_t buckets_in(std::uint64_t shape) { return shape & (one_era - 1); }
    static_assert(LineSegments::max_lines < one_era);
    // release: who sees it sees what was done before.
    void add_to_shape(std::uint64_t difference) {
        shape_.store(shape_.load(std::memory_order_relaxed) + difference, std::memory_order_release);
    }
    // A bucket's version counts 128 erases and begins anew.
    static constexpr std::uint64_t erases_per_era = 64;
    void count_erase() {
        if (++erases_ % erases_per_era == 0) [[unlikely]]
            add_to_shape(one_era);
    }

    // How many buckets are made, or unmade, in one step; and how many keys may come before there is a next one.
    static constexpr std::size_t max_step = 256;
    [[nodiscard]] std::size_t step() const { return std::min(max_step, buckets() / 32 + 1); }
    [[nodiscard]] std::size_t keys_for(std::size_t lines) const { return lines * keys_per_line_ / load_unit; }
    bool add_bucket();
    bool remove_bucket();
    void set_limits();
    [[nodiscard]] PairBucket::Half half(std::size_t last) const;

    static constexpr std::uint64_t load_unit = 256;

    std::atomic<std::uint64_t> shape_{0};
    std::uint64_t low_mask_;
    std::uint64_t low_count_;
    std::uint64_t first_hash_;
    LineSegments segments_;
    // The owner's.
    alignas(cache_line_bytes) std::uint64_t keys_ = 0;
    std::uint64_t crowded_at_ = 0;
    std::uint64_t sparse_below_ = 0;
    std::uint64_t erases_ = 0;
    std::uint64_t keys_per_line_; // in units
    bool is_shrinking_ = false;
    std::size_t first_buckets_ = 0; // no less than these
    std::size_t constructed_ = 0;   // lines that have been buckets' first ones since their memory was made
    LineSupply supply_;
};

} // namespace mxk
