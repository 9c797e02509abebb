// A hash table that is cut over all cores of several ranks: larger than one machine, and reached from every core of
// every rank. As mxk::Table (library/table.hpp) for spans of keys and for single ones; keys and values are copied as
// bytes.
//
//     auto table = mxk::GlobalTable<std::uint64_t, std::uint64_t>::create(cluster);       // collective
//     table.value().upsert(keys, values);                                                 // any core of any rank
//     std::size_t const found = table.value().find(keys, values, mask).changed;
//
// A call waits, and lets its core work on meanwhile: it is made on core 0 in Cluster::run(), or in a task that may wait
// (run_on()), one at a time on a core. Each operation takes effect at one moment between the call's begin and its end,
// and operations of one call on the same key in the order of the span.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hashtable/remote/rank_table.hpp"
#include "hashtable/remote/table_call.hpp"
#include "main/cluster/cluster.hpp"
#include "main/cluster/table_set.hpp"
#include "main/library/table_file.hpp"

namespace mxk {

struct GlobalTableOptions {
    // Keys that there is room for from the start, on all ranks together.
    std::size_t capacity = 0;
    // How many ranks have keys, from 0 on; 0: all.
    remote::Rank ranks = 0;
};

template <typename Key, typename Value> class GlobalTable {
    using Part = remote::RankTable<Key, Value>;
    using Call = remote::TableCall<Key, Value>;
    using Operation = remote::TableOperation;

  public:
    using Rank = remote::Rank;
    using Mask = std::span<std::uint64_t>;
    // `changed`: keys found, inserted, updated or erased; `failed`: keys for which a rank had no memory.
    using Outcome = remote::CallResult;

    // Collective. Errors, on all ranks: no memory on one; more ranks than there are.
    static Result<GlobalTable> create(Cluster& cluster, GlobalTableOptions const& options = {}) {
        Rank const ranks = options.ranks == 0 ? cluster.ranks() : options.ranks;
        if (ranks > cluster.ranks())
            return Error::of("expected up to {} ranks for a table, got {}", cluster.ranks(), ranks);
        std::size_t const capacity = cluster.rank() < ranks ? options.capacity / ranks : 0;
        auto local = Part::Local::create({.capacity = capacity, .regions = regions_of(cluster.cores())});
        MXK_TRY(cluster.agree(local ? Result<void>() : Result<void>(local.error())));
        GlobalTable table(cluster, std::make_unique<Part>(cluster.network(), std::move(local).value(), ranks));
        cluster.barrier(); // nobody asks before all can answer
        return table;
    }
    GlobalTable(GlobalTable&& other) noexcept = default;
    GlobalTable& operator=(GlobalTable&&) = delete;
    ~GlobalTable() = default; // when no rank calls it any more

    // Values of those that are there; the others' stay as they are.
    Outcome find(std::span<Key const> keys, std::span<Value> values, Mask mask = {}) const {
        check_sizes(keys.size(), values.size(), mask);
        return call(Operation::Find, keys, nullptr, values.data(), mask);
    }
    // Those that are not there.
    Outcome insert(std::span<Key const> keys, std::span<Value const> values, Mask mask = {}) {
        check_sizes(keys.size(), values.size(), mask);
        return call(Operation::Insert, keys, values.data(), nullptr, mask);
    }
    Outcome upsert(std::span<Key const> keys, std::span<Value const> values, Mask mask = {}) {
        check_sizes(keys.size(), values.size(), mask);
        return call(Operation::Upsert, keys, values.data(), nullptr, mask);
    }
    // Those that are there.
    Outcome update(std::span<Key const> keys, std::span<Value const> values, Mask mask = {}) {
        check_sizes(keys.size(), values.size(), mask);
        return call(Operation::Update, keys, values.data(), nullptr, mask);
    }
    Outcome erase(std::span<Key const> keys, Mask mask = {}) {
        check_sizes(keys.size(), keys.size(), mask);
        return call(Operation::Erase, keys, nullptr, nullptr, mask);
    }

    // One key.
    [[nodiscard]] std::optional<Value> find(Key const& key) const {
        Value value{};
        return find(std::span(&key, 1), std::span(&value, 1)).changed == 1 ? std::optional(value) : std::nullopt;
    }
    // Whether it was not there before.
    Result<bool> insert(Key const& key, Value const& value) { return one(Operation::Insert, key, value); }
    Result<bool> upsert(Key const& key, Value const& value) { return one(Operation::Upsert, key, value); }
    bool erase(Key const& key) { return erase(std::span(&key, 1)).changed == 1; }

    // visit(key, value) for all that this rank has, as Table::for_each().
    template <typename Visit> void for_each_own(Visit visit) const { part_->local().for_each(visit); }
    [[nodiscard]] std::size_t own_size() const { return part_->local().size(); }
    [[nodiscard]] std::size_t own_bytes() const { return part_->local().bytes(); }
    [[nodiscard]] Rank ranks() const { return part_->ranks(); }

    // Collective: on all ranks.
    [[nodiscard]] std::size_t size() const {
        std::size_t sum = 0;
        for (std::size_t const its : cluster_->gather(own_size())) sum += its;
        return sum;
    }
    // Collective: from now on the first `ranks` have the keys, which travel there. Nobody calls it meanwhile. Errors,
    // on all ranks: no memory on one, where the keys that it has no room for stay where they were, and the table is to
    // be moved back; more ranks than there are.
    Result<void> move_to(Rank ranks);
    // Collective: all keys go.
    void clear() {
        cluster_->barrier();
        part_->local().clear();
        cluster_->barrier();
    }

    // Collective: each rank writes its keys to a file of its own below `folder`, which all see, and rank 0 the list of
    // them (table_set.hpp). Gives the number of keys. Errors, on all ranks: a file that cannot be written; then what
    // was there before is what it was.
    Result<std::size_t> save(std::string const& folder) const;
    // Collective: a table as create() makes it of what save() has written, on any number of ranks. Errors, on all
    // ranks: a set that is damaged, incomplete, of other types, or of another time than its list; no memory.
    static Result<GlobalTable> load(Cluster& cluster, std::string const& folder, GlobalTableOptions options = {});

    // For those who call it step by step.
    [[nodiscard]] Part& part() const { return *part_; }

  private:
    GlobalTable(Cluster& cluster, std::unique_ptr<Part> part)
        : cluster_(&cluster)
        , part_(std::move(part)) {}

    // Fewer than a table for threads has: a message has some hundred operations, and those of a region are done
    // together.
    static std::size_t regions_of(std::uint32_t cores) {
        constexpr std::size_t of_core = 8;
        return std::min<std::size_t>(std::bit_ceil(of_core * cores), 1024);
    }
    static void check_sizes(std::size_t keys, std::size_t values, Mask mask) {
        expect(keys == values, "a call has as many values as keys");
        expect(keys <= UINT32_MAX, "a call has fewer than 2^32 keys");
        expect(mask.empty() || mask.size() >= Part::Local::mask_words(keys), "a call's mask has a bit for each key");
    }
    Outcome call(Operation operation, std::span<Key const> keys, Value const* given, Value* found, Mask mask) const {
        Worker& here = Worker::current();
        Call its(*part_, operation, keys, given, found, mask);
        if (!its.advance(here)) here.run_until([&] { return its.advance(here); });
        return its.result();
    }
    Result<bool> one(Operation operation, Key const& key, Value const& value) {
        auto const result = call(operation, std::span(&key, 1), &value, nullptr, {});
        if (result.failed != 0) return Error("out of memory: a rank cannot take the key");
        return result.changed == 1;
    }
    // Inserts them; an error where a rank has no memory.
    Result<void> take_in(std::vector<Key>& keys, std::vector<Value>& values) {
        auto const result = insert(std::span<Key const>(keys), std::span<Value const>(values));
        keys.clear();
        values.clear();
        if (result.failed != 0) return Error::of("no memory for {} keys", result.failed);
        return {};
    }
    Result<void> load_part(std::string const& path, cluster::TablePart const& part);

    static constexpr table_file::Kinds kinds{table_file::Kind::of<Key>(), table_file::Kind::of<Value>()};

    Cluster* cluster_;
    std::unique_ptr<Part> part_;
};

template <typename Key, typename Value> Result<void> GlobalTable<Key, Value>::move_to(Rank ranks) {
    if (ranks == 0 || ranks > cluster_->ranks())
        return Error::of("expected 1 to {} ranks for a table, got {}", cluster_->ranks(), ranks);
    cluster_->barrier();
    part_->set_ranks(ranks);
    cluster_->barrier();
    std::uint32_t const cores = cluster_->cores();
    Result<void> moved;
    std::vector<Key> keys;
    std::vector<Value> values;
    for (std::size_t region = 0; region < part_->local().region_count() && moved; ++region) {
        part_->local().for_each_of_region(region, [&](Key const& key, Value const& value) {
            if (part_->owner(key) / cores == cluster_->rank()) return;
            keys.push_back(key);
            values.push_back(value);
        });
        auto const result = insert(std::span<Key const>(keys), std::span<Value const>(values));
        if (result.failed != 0)
            moved = Error::of("no memory for {} keys", result.failed);
        else
            static_cast<void>(part_->local().erase(std::span<Key const>(keys)));
        keys.clear();
        values.clear();
    }
    return cluster_->agree(moved);
}

template <typename Key, typename Value>
Result<std::size_t> GlobalTable<Key, Value>::save(std::string const& folder) const {
    cluster::TableSet set{.number = cluster_->rank() == 0 ? cluster::new_set_number() : 0, .parts = {}};
    cluster_->broadcast(set.number);
    set.parts.resize(cluster_->ranks());
    std::string const path = cluster::part_path(folder, set.number, cluster_->rank());
    cluster::TablePart own{};
    Result<void> written = [&]() -> Result<void> {
        own.pairs = MXK_TRY(mxk::save(part_->local(), path));
        own.sum = MXK_TRY(table_file::Reader::open(path, kinds)).sum();
        return {};
    }();
    Result<void> agreed = cluster_->agree(written);
    set.parts = cluster_->gather(own);
    if (agreed) {
        if (cluster_->rank() == 0) written = cluster::write_set(folder, set);
        agreed = cluster_->agree(written);
    }
    if (!agreed) {
        cluster::remove_part(path);
        return agreed.error();
    }
    // What the list does not name any more.
    if (cluster_->rank() == 0) cluster::remove_other_parts(folder, set.number);
    std::size_t sum = 0;
    for (cluster::TablePart const& part : set.parts) sum += part.pairs;
    return sum;
}

template <typename Key, typename Value>
Result<GlobalTable<Key, Value>> GlobalTable<Key, Value>::load(Cluster& cluster, std::string const& folder,
                                                              GlobalTableOptions options) {
    auto const read = cluster::read_set(folder);
    MXK_TRY(cluster.agree(read ? Result<void>() : Result<void>(read.error())));
    cluster::TableSet const& set = read.value();
    for (std::uint64_t const its : cluster.gather(set.number))
        if (its != set.number) return Error::of("{}: expected one set for all ranks, got two", folder);
    for (cluster::TablePart const& part : set.parts) options.capacity += part.pairs;
    auto table = MXK_TRY(create(cluster, options));
    Result<void> loaded;
    for (Rank part = cluster.rank(); part < set.parts.size() && loaded; part += cluster.ranks())
        loaded = table.load_part(cluster::part_path(folder, set.number, part), set.parts[part]);
    MXK_TRY(cluster.agree(loaded));
    return table;
}

template <typename Key, typename Value>
Result<void> GlobalTable<Key, Value>::load_part(std::string const& path, cluster::TablePart const& part) {
    constexpr std::size_t at_once = 65536;
    auto reader = MXK_TRY(table_file::Reader::open(path, kinds));
    if (reader.pairs() != part.pairs || reader.sum() != part.sum)
        return reader.damaged("it is of another set than the list that names it");
    std::vector<Key> keys;
    std::vector<Value> values;
    for (std::uint64_t left = reader.pairs(); left != 0; --left) {
        Key key{};
        Value value{};
        if (!reader.read(&key, sizeof key) || !reader.read(&value, sizeof value)) break;
        keys.push_back(key);
        values.push_back(value);
        if (keys.size() == at_once || left == 1) MXK_TRY(take_in(keys, values));
    }
    return reader.finish();
}

} // namespace mxk
