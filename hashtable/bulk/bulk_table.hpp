// A hash table for programs as they are: any thread may call any function at any time, for a key or for a span of
// them, and cores of the Runtime help with large spans.
//
//     auto runtime = mxk::Runtime::start({.own_threads = true});
//     auto table = mxk::Table<std::uint64_t, std::uint64_t>::create();
//     table.value().upsert(keys, values);                     // spans, vectors, arrays
//     std::size_t const found = table.value().find(keys, values, mask);
//
// Keys: what can be copied as bytes and has no padding, std::string, or std::string_view (table_key.hpp); all their
// values are allowed. The table keeps copies, of strings, too. Values: what can be copied as bytes, up to 64 of them.
//
// Each operation on one key takes effect at one moment, and operations of one call on the same key take effect in the
// order of the span. Nothing is said of the order of two calls at the same time, nor of two keys in one call.
//
// Built of regions with a lock each: a bulk find holds all for reading, thousands of keys at a time (bulk_find.hpp); a
// change holds one at a time (bulk_rounds.hpp).
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

#include "base/panic.hpp"
#include "base/result.hpp"
#include "hashtable/bulk/bulk_find.hpp"
#include "hashtable/bulk/bulk_region.hpp"
#include "hashtable/bulk/bulk_result.hpp"
#include "hashtable/bulk/bulk_rounds.hpp"
#include "hashtable/bulk/each_region.hpp"
#include "hashtable/bulk/helpers.hpp"
#include "hashtable/bulk/key_array.hpp"
#include "hashtable/bulk/scratch_pool.hpp"
#include "hashtable/bulk/table_count.hpp"
#include "hashtable/bulk/table_find.hpp"
#include "hashtable/bulk/table_operations.hpp"
#include "kernel/memory/memory.hpp"
#include "kernel/memory/node_vector.hpp"
#include "tasks/workers.hpp"

namespace mxk {

struct TableOptions {
    // Keys that there is room for from the start; it grows beyond by itself.
    std::size_t capacity = 0;
    // A power of two from 2 to 1024; 0: sixteen per core, no fewer than 64.
    std::size_t regions = 0;
    // A cache: no more keys than this when a call has ended. Where more come, others go: first those that were never
    // found nor written since they came, or not for a long time (use_marks.hpp). Each region has its share, and so has
    // some fewer keys when the first ones go. No fewer than regions; 0: no limit.
    std::size_t max_keys = 0;
};

struct TableStatistics {
    std::size_t keys = 0;
    std::size_t places = 0; // that there is memory for, keys / places of which are taken
    std::size_t bytes = 0;  // as bytes()
    std::size_t regions = 0;
    std::size_t largest_region = 0; // keys
    std::size_t evicted = 0;        // keys that went since the table was made, as there were too many
};

// Functions block for a region's lock, which others hold for some microseconds, and for the allocator's. Not for tasks,
// which must not block (tasks/task.hpp): they hold up their core. parallel_for() visits regions in tasks all the same:
// who holds one waits for no core.
template <typename Key, typename Value> class Table {
    static_assert(PlainKey<Key> || TextKey<Key>, "keys can be copied as bytes and have no padding, or are strings");
    static_assert(std::is_trivially_copyable_v<Value> && sizeof(Value) <= 64, "values are up to 64 bytes to be copied");

  public:
    using Keys = KeyArray<Key>;
    using KeyView = typename TableKey<Key>::View; // of strings: std::string_view
    using Mask = std::span<std::uint64_t>;        // a bit for each key, from the lowest of the first word on

    // How many words a mask for this many keys has.
    static constexpr std::size_t mask_words(std::size_t keys) { return (keys + 63) / 64; }

    // While a Runtime runs, which must outlive it. Errors: no memory, `regions` out of range.
    static Result<Table> create(TableOptions const& options = {});
    // No call is under way.
    ~Table() = default;
    Table(Table&& other) noexcept = default;
    Table& operator=(Table&&) = delete;

    // Spans of keys. Values have as many elements as keys, masks no fewer than mask_words(), or none: then the results
    // are only counted.

    // Writes the values of those keys that are there, leaves the others' as they are, and sets their bits. Gives how
    // many there are.
    std::size_t find(Keys keys, std::span<Value> values, Mask mask = {}) const;

    // All that change give how many operations took effect, the first ones of the span, and how many of these inserted
    // (or erased, or updated) a key, whose bits are set. Errors: no memory for a key; it and those behind it have no
    // effect.

    // Those that are not there.
    BulkResult insert(Keys keys, std::span<Value const> values, Mask mask = {});
    // Inserts, or replaces the value.
    BulkResult upsert(Keys keys, std::span<Value const> values, Mask mask = {}) {
        return upsert(
            keys, values, [](Value& stored, Value const& given) { stored = given; }, mask);
    }
    // Inserts, or calls combine(Value& stored, Value const& given), in any thread, one at a time for a key. It must not
    // throw, nor call the table.
    template <typename Combine>
    requires std::is_invocable_v<Combine const&, Value&, Value const&>
        BulkResult upsert(Keys keys, std::span<Value const> values, Combine const& combine, Mask mask = {});
    // Inserts, or adds to the value: sums by key; with one value for all, counts.
    BulkResult add(Keys keys, std::span<Value const> values, Mask mask = {}) requires std::is_arithmetic_v<Value> {
        auto const plus = [](Value& stored, Value given) { stored = static_cast<Value>(stored + given); };
        return upsert(keys, values, plus, mask);
    }
    BulkResult add(Keys keys, Value value, Mask mask = {}) requires std::is_arithmetic_v<Value>;
    // Writes the values of those keys that are there, whose bits are set. Never fails.
    BulkResult update(Keys keys, std::span<Value const> values, Mask mask = {});
    // Never fails.
    BulkResult erase(Keys keys, Mask mask = {});

    // One key.
    [[nodiscard]] std::optional<Value> find(KeyView const& key) const;
    InsertResult insert(KeyView const& key, Value const& value);
    InsertResult upsert(KeyView const& key, Value const& value) {
        return upsert(key, value, [](Value& stored, Value const& given) { stored = given; });
    }
    template <typename Combine>
    requires std::is_invocable_v<Combine const&, Value&, Value const&>
        InsertResult upsert(KeyView const& key, Value const& value, Combine const& combine);
    bool update(KeyView const& key, Value const& value); // whether it was there
    bool erase(KeyView const& key);                      // the same

    // visit(key, value) for every pair, region by region, which other threads may read meanwhile but not change; it
    // must not call the table. What changes in other regions meanwhile may be seen or not. A string that it is given
    // does not outlive the visit.
    template <typename Visit> void for_each(Visit visit) const;
    // The same for one of them: parallel_for(table, visit) has all cores take regions (tasks/fork/loops.hpp).
    [[nodiscard]] std::size_t region_count() const { return regions_.size(); }
    template <typename Visit> void for_each_of_region(std::size_t region, Visit visit) const;
    // Erases all keys, region by region, and gives their memory back (it stays where there is none for a smaller
    // array); gives how many there were. What others insert meanwhile may stay.
    std::size_t clear();
    // Gives memory back that the keys do not need, down to what `capacity` asked for: erases do so only where an eighth
    // or less is left, and of strings' bytes only clear() does.
    void shrink();
    // Memory for keys and values.
    [[nodiscard]] std::size_t bytes() const { return statistics().bytes; }
    // Exact while nobody changes it, as the next one.
    [[nodiscard]] std::size_t size() const { return statistics().keys; }
    [[nodiscard]] TableStatistics statistics() const;
    [[nodiscard]] bool empty() const { return size() == 0; }

  private:
    template <typename SetKey> friend class Set;

    using Region = BulkRegion<Key, Value>;
    using KeyOf = TableKey<Key>;

    // From how many operations on it pays to do them together, and to have help.
    static constexpr std::size_t min_together = 32;
    static constexpr std::size_t min_helped = 16384;
    // Keys that a region of a table with a limit may have, if `regions` is not given.
    static constexpr std::size_t min_share = 64;

    Table(NodeVector<Region> regions, NodeVector<ScratchPool> scratches, Helpers helpers)
        : hash_bits_(static_cast<unsigned>(std::countr_zero(regions.size())))
        , regions_(std::move(regions))
        , scratches_(std::move(scratches))
        , helpers_(std::move(helpers)) {}

    static typename Region::Probe probe(KeyView const& key) {
        std::uint64_t const word = KeyOf::word(key);
        return {word, KeyOf::hash(word)};
    }
    Region& region_of(std::uint64_t hash) const { return regions_[hash >> (64 - hash_bits_)]; }

    // find(), of a set without values.
    std::size_t look_up(Keys keys, std::span<Value> values, Mask mask) const;
    // function(region), by helpers, too; each region's lock is held.
    template <typename Function> void with_each_region(Function function);
    template <typename Operation> BulkResult change(Keys keys, Operation const& operation, Mask mask);
    template <typename Operation>
    void change_one_by_one(Keys keys, Operation const& operation, Mask mask, BulkResult& result);
    template <typename Operation>
    table_operations::Outcome change_one(KeyView const& key, Operation const& operation, std::size_t at);
    static InsertResult as_result(table_operations::Outcome outcome) {
        using table_operations::Outcome;
        using Its = InsertResult::Outcome;
        if (outcome == Outcome::NoMemory) return InsertResult(Its::NoMemory);
        return InsertResult(outcome == Outcome::Changed ? Its::Inserted : Its::Present);
    }
    static void check_sizes(std::size_t keys, std::size_t values, std::size_t mask_size) {
        expect(keys == values, "a bulk call has as many values as keys");
        expect(mask_size == 0 || mask_size >= mask_words(keys), "a bulk call's mask has a bit for each key");
    }

    TableCount count_; // the last to go
    unsigned hash_bits_;
    NodeVector<Region> regions_;
    NodeVector<ScratchPool> scratches_; // one, where it stays
    mutable Helpers helpers_;
};

} // namespace mxk

#include "hashtable/bulk/table_functions.hpp" // IWYU pragma: keep
