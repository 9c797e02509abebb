// The functions of Table that are longer than their names.
#pragma once

#include "base/panic.hpp"
#include "hashtable/bulk/bulk_table.hpp"

namespace mxk {

template <typename Key, typename Value>
Result<Table<Key, Value>> Table<Key, Value>::create(TableOptions const& options) {
    constexpr std::size_t max_regions = 1024;
    if (workers::count() == 0) return Error("a table needs a Runtime that runs");
    std::size_t const wanted = std::clamp<std::size_t>(16 * workers::count(), 64, max_regions);
    bool const has_limit = options.max_keys != 0;
    std::size_t count = options.regions != 0 ? options.regions : std::bit_ceil(wanted);
    // Few keys in a region would be more here, less there.
    while (options.regions == 0 && has_limit && count > 2 && options.max_keys / count < min_share) count /= 2;
    if (count < 2 || count > max_regions || !std::has_single_bit(count))
        return Error::of("expected a power of two of regions, from 2 to {}, got {}", max_regions, count);
    if (has_limit && options.max_keys < count)
        return Error::of("expected max_keys of 0, for no limit, or {} and more, one for each region, got {}", count,
                         options.max_keys);
    std::size_t const capacity = has_limit ? std::min(options.capacity, options.max_keys) : options.capacity;
    auto const hash_bits = static_cast<unsigned>(std::countr_zero(count));
    auto regions = MXK_TRY(NodeVector<Region>::create(count, node_id(0)));
    for (std::size_t i = 0; i < count; ++i) {
        Region& region = regions.emplace(node_id(i * memory::node_count() / count), hash_bits);
        if (!region.reserve(capacity / count + 1, options.max_keys / count))
            return Error::of("out of memory: a table for {} keys does not fit", capacity);
    }
    auto scratches = MXK_TRY(NodeVector<ScratchPool>::create(1, node_id(0)));
    scratches.emplace(count, node_id(0));
    return Table(std::move(regions), std::move(scratches), MXK_TRY(Helpers::create(node_id(0))));
}

template <typename Key, typename Value>
std::size_t Table<Key, Value>::find(Keys keys, std::span<Value> values, Mask mask) const {
    check_sizes(keys.size(), values.size(), mask.size());
    return look_up(keys, values, mask);
}
template <typename Key, typename Value>
std::size_t Table<Key, Value>::look_up(Keys keys, std::span<Value> values, Mask mask) const {
    if (keys.size() >= min_together) {
        auto const run = [&](auto work) {
            helpers_.run(work, keys.size() >= min_helped);
            return work.found();
        };
        return regions_[0].has_limit()
                   ? run(TableFind<Key, Value, true>(regions_.span(), hash_bits_, keys, values, mask))
                   : run(TableFind<Key, Value, false>(regions_.span(), hash_bits_, keys, values, mask));
    }
    for (std::size_t i = 0; i < keys.size(); ++i) {
        std::uint64_t const hash = probe(keys[i]).hash;
        region_of(hash).prefetch(hash);
    }
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        std::optional<Value> const value = find(keys[i]);
        if constexpr (!std::is_empty_v<Value>)
            if (value) values[i] = *value;
        bits |= std::uint64_t{value.has_value()} << i;
    }
    if (!mask.empty() && keys.size() != 0) mask[0] = bits;
    return static_cast<std::size_t>(std::popcount(bits));
}

template <typename Key, typename Value>
BulkResult Table<Key, Value>::insert(Keys keys, std::span<Value const> values, Mask mask) {
    check_sizes(keys.size(), values.size(), mask.size());
    return change(keys, table_operations::Insert<Value>{{values.data()}}, mask);
}
template <typename Key, typename Value>
BulkResult Table<Key, Value>::update(Keys keys, std::span<Value const> values, Mask mask) {
    check_sizes(keys.size(), values.size(), mask.size());
    return change(keys, table_operations::Update<Value>{{values.data()}}, mask);
}
template <typename Key, typename Value> template <typename Combine>
requires std::is_invocable_v<Combine const&, Value&, Value const&>
    BulkResult Table<Key, Value>::upsert(Keys keys, std::span<Value const> values, Combine const& combine, Mask mask) {
    check_sizes(keys.size(), values.size(), mask.size());
    return change(keys, table_operations::Upsert<Value, Combine>{{values.data()}, combine}, mask);
}
template <typename Key, typename Value>
BulkResult Table<Key, Value>::add(Keys keys, Value value, Mask mask) requires std::is_arithmetic_v<Value> {
    check_sizes(keys.size(), keys.size(), mask.size());
    return change(keys, table_operations::AddConstant<Value>{value}, mask);
}
template <typename Key, typename Value> BulkResult Table<Key, Value>::erase(Keys keys, Mask mask) {
    check_sizes(keys.size(), keys.size(), mask.size());
    return change(keys, table_operations::Erase{}, mask);
}

template <typename Key, typename Value>
template <typename Operation>
BulkResult Table<Key, Value>::change(Keys keys, Operation const& operation, Mask mask) {
    BulkResult result{.wanted = keys.size()};
    BulkScratch* const scratch = keys.size() >= min_together ? scratches_[0].take() : nullptr;
    if (scratch != nullptr) {
        BulkRounds<Key, Value, Operation> work(regions_.span(), hash_bits_, keys, operation, mask, *scratch);
        helpers_.run(work, keys.size() >= min_helped);
        scratches_[0].give_back(*scratch);
        result.done = work.done();
        result.changed = work.true_results();
    }
    change_one_by_one(keys, operation, mask, result);
    return result;
}

// Those that are not done yet: a few, or as many as memory that is short still allows.
template <typename Key, typename Value>
template <typename Operation>
void Table<Key, Value>::change_one_by_one(Keys keys, Operation const& operation, Mask mask, BulkResult& result) {
    if (result.ok()) return;
    std::size_t const first = result.done; // a multiple of 64
    if (!mask.empty())
        std::fill(mask.begin() + static_cast<std::ptrdiff_t>(first / 64),
                  mask.begin() + static_cast<std::ptrdiff_t>(mask_words(keys.size())), 0);
    for (std::size_t at = first; at < keys.size(); ++at) {
        table_operations::Outcome const outcome = change_one(keys[at], operation, at);
        if (outcome == table_operations::Outcome::NoMemory) return;
        ++result.done;
        if (outcome == table_operations::Outcome::Unchanged) continue;
        ++result.changed;
        if (!mask.empty()) mask[at / 64] |= std::uint64_t{1} << at % 64;
    }
}

template <typename Key, typename Value>
template <typename Operation>
table_operations::Outcome Table<Key, Value>::change_one(KeyView const& key, Operation const& operation,
                                                        std::size_t at) {
    using table_operations::Outcome;
    typename Region::Probe const its = probe(key);
    Region& region = region_of(its.hash);
    ExclusiveHold const hold(region.lock());
    if constexpr (Operation::erases) {
        bool const erased = region.erase(its, key);
        if (erased && region.size() % 64 == 0) region.give_back();
        return erased ? Outcome::Changed : Outcome::Unchanged;
    } else {
        if (Value* const value = region.find(its, key); value != nullptr)
            return operation.meet(*value, at) ? Outcome::Changed : Outcome::Unchanged;
        if constexpr (Operation::inserts)
            return region.put(its, key, operation.given(at)) ? Outcome::Changed : Outcome::NoMemory;
        return Outcome::Unchanged;
    }
}

template <typename Key, typename Value> std::optional<Value> Table<Key, Value>::find(KeyView const& key) const {
    typename Region::Probe const its = probe(key);
    Region& region = region_of(its.hash);
    SharedHold const hold(region.lock());
    Value const* const value = region.find(its, key);
    return value != nullptr ? std::optional<Value>(*value) : std::nullopt;
}
template <typename Key, typename Value> InsertResult Table<Key, Value>::insert(KeyView const& key, Value const& value) {
    return as_result(change_one(key, table_operations::Insert<Value>{{&value}}, 0));
}
template <typename Key, typename Value> template <typename Combine>
requires std::is_invocable_v<Combine const&, Value&, Value const&>
    InsertResult Table<Key, Value>::upsert(KeyView const& key, Value const& value, Combine const& combine) {
    return as_result(change_one(key, table_operations::Upsert<Value, Combine>{{&value}, combine}, 0));
}
template <typename Key, typename Value> bool Table<Key, Value>::update(KeyView const& key, Value const& value) {
    return change_one(key, table_operations::Update<Value>{{&value}}, 0) == table_operations::Outcome::Changed;
}
template <typename Key, typename Value> bool Table<Key, Value>::erase(KeyView const& key) {
    return change_one(key, table_operations::Erase{}, 0) == table_operations::Outcome::Changed;
}

template <typename Key, typename Value> template <typename Visit> void Table<Key, Value>::for_each(Visit visit) const {
    for (std::size_t region = 0; region < regions_.size(); ++region)
        for_each_of_region(region, [&visit](auto const&... pair) { visit(pair...); });
}
template <typename Key, typename Value>
template <typename Visit>
void Table<Key, Value>::for_each_of_region(std::size_t region, Visit visit) const {
    expect(region < regions_.size(), "a table has no such region");
    SharedHold const hold(regions_[region].lock());
    regions_[region].for_each(visit);
}

template <typename Key, typename Value>
template <typename Function>
void Table<Key, Value>::with_each_region(Function function) {
    EachRegion work(regions_.span(), [&](Region& region) {
        ExclusiveHold const hold(region.lock());
        function(region);
    });
    helpers_.run(work, size() >= min_helped);
}
template <typename Key, typename Value> std::size_t Table<Key, Value>::clear() {
    std::atomic<std::size_t> erased{0}; // relaxed: a sum; the end of each turn orders it
    with_each_region([&](Region& region) { erased.fetch_add(region.clear(), std::memory_order_relaxed); });
    return erased.load(std::memory_order_relaxed);
}
template <typename Key, typename Value> void Table<Key, Value>::shrink() {
    with_each_region([](Region& region) { region.shrink(); });
}

template <typename Key, typename Value> TableStatistics Table<Key, Value>::statistics() const {
    TableStatistics sums{.regions = regions_.size()};
    for (Region& region : regions_) {
        SharedHold const hold(region.lock());
        sums.keys += region.size();
        sums.places += region.places();
        sums.bytes += region.bytes();
        sums.evicted += region.evicted();
        sums.largest_region = std::max(sums.largest_region, region.size());
    }
    return sums;
}

} // namespace mxk
