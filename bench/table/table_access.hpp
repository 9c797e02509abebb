// The tables as engines use them: one class for each layout, all with the same functions, called without indirection.
//
//     owner(key)                      any core, at any time, as the next two: from what nobody writes
//     extra(core, place, key, owner)  what else the owner needs for the instruction at this place of the core's source
//     line(key, owner, extra)         what the owner will touch
//     operate<operation>(region, key, extra, order)
//                                     whether the result, and the value found, are the expected ones: the owner only
//     overwrite(region, key, extra, order)
//                                     the same of an operation that overwrites, in tables that keep values
//     value(key), table()             any core while nobody works; table() has size() and for_each(visit)
//
// A table is for as many keys as there are instructions; reset() replaces it by an empty one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "base/result.hpp"
#include "bench/table/engine.hpp"
#include "bench/workload/instructions.hpp"
#include "hashtable/layout/bucketed.hpp"
#include "hashtable/layout/chained.hpp"
#include "hashtable/modulo.hpp"
#include "hashtable/table/partitioned.hpp"
#include "kernel/memory/node_array.hpp"
#include "kernel/memory/node_vector.hpp"
#include "tasks/annotation.hpp"

namespace mxk::bench {

// Of tables that keep values: the one that a table shows, if any.
inline std::optional<std::uint64_t> value_at(std::uint64_t const* value) {
    return value != nullptr ? std::optional(*value) : std::nullopt;
}
// Of tables of keys: what was to be inserted.
inline std::optional<std::uint64_t> value_if(bool is_there, std::uint64_t key) {
    return is_there ? std::optional(value_of(key)) : std::nullopt;
}

// Table: has update, upsert and modify (hashtable/value_writes.hpp), for calls with these arguments. A modify makes the
// next version of what is there. Whether the result was the expected one, and what was there a version of the key's.
template <typename Table, typename... At>
bool overwrite_in(Table& table, Order const& order, std::uint64_t key, At const&... at) {
    switch (order.operation) {
    case Operation::Update: return table.update(key, value_of(key, order.version), at...) == order.expected;
    case Operation::Upsert:
        return table.upsert(key, value_of(key, order.version), at...) ==
               (order.expected ? Insert::Inserted : Insert::Present);
    default: break;
    }
    auto const before = table.modify(
        key, [](std::uint64_t value) { return value + version_step; }, at...);
    return before ? order.expected && is_value_of(key, *before, order) : !order.expected;
}

// What both have in common: regions, and a new table for each run.
template <typename TableType> class TableAccess {
  public:
    using Table = TableType;

    TableAccess(EngineSetup const& setup, std::size_t buckets)
        : owners_(setup.table_owners)
        , buckets_(buckets) {}

    [[nodiscard]] std::size_t bucket_count() const { return buckets_; }
    [[nodiscard]] std::size_t owner(std::uint64_t key) const { return table_[0].owner(key); }
    [[nodiscard]] Annotation line(std::uint64_t key, std::size_t owner, auto) const { return line_of(key, owner); }

    void prefetch(std::uint64_t key) const { line_of(key, owner(key)).prefetch(); }

    // Of the buckets; without what a table may have behind them.
    [[nodiscard]] std::size_t bytes() const { return buckets_ * sizeof(typename Table::Bucket); }

    // The part of the table that the core at this place owns. The owner only.
    [[nodiscard]] Table& region(std::size_t at) { return table_[0].region(at); }
    [[nodiscard]] Partitioned<Table>& table() { return table_[0]; }
    [[nodiscard]] Partitioned<Table> const& table() const { return table_[0]; }

  protected:
    // `others`: what the regions' tables are made from, besides their buckets.
    template <typename... Others> Result<void> make_table(Others const&... others) {
        table_ = {}; // the last one gives its memory back before a new one takes some
        table_ = MXK_TRY(NodeVector<Partitioned<Table>>::create(1, owners_.front().node));
        table_.emplace(MXK_TRY(Partitioned<Table>::create(buckets_, owners_, others...)));
        return {};
    }

    // Of the next one.
    void restart(std::size_t buckets) { buckets_ = buckets; }
    // In its place; while nobody works on either.
    void replace_table(NodeVector<Partitioned<Table>> table) {
        table_ = std::move(table);
        buckets_ = table_[0].bucket_count();
    }

    // Before what it was made from.
    void forget_table() { table_ = {}; }

    [[nodiscard]] std::span<Owner const> owners() const { return owners_; }

  private:
    [[nodiscard]] Annotation line_of(std::uint64_t key, std::size_t owner) const {
        return Annotation::table_line(static_cast<void const*>(table_[0].bucket_of(key, owner)));
    }

    std::span<Owner const> owners_;
    std::size_t buckets_;
    NodeVector<Partitioned<Table>> table_; // one, or none yet
};

// Nodes for chained tables: one is ready for every instruction, on the instruction's node.
class InstructionNodes {
  public:
    // Errors: no memory.
    static Result<InstructionNodes> create(EngineSetup const& setup);

    [[nodiscard]] ChainNode* of(std::size_t core, std::size_t place) const { return nodes_of_[core] + place; }

  private:
    NodeVector<NodeArray<ChainNode>> nodes_; // one array for each slice, or one for all
    NodeVector<ChainNode*> nodes_of_;        // by core: those for its source
};

// The same on the nodes of those that own the instructions' keys (TableRun::cut()).
class OwnersNodes {
  public:
    // Errors: no memory, fewer buckets than cores.
    static Result<OwnersNodes> create(EngineSetup const& setup);

    [[nodiscard]] ChainNode* of(std::size_t core, std::size_t place) const { return nodes_of_[core][place]; }

  private:
    NodeVector<NodeArray<ChainNode>> nodes_;   // by owner
    NodeVector<NodeArray<ChainNode*>> places_; // one array for each slice, or one for all: an instruction's node
    NodeVector<ChainNode* const*> nodes_of_;   // by core: those for its source
};

// A tenth of a bucket for each key: the thesis'.
constexpr TableLayout chained_layout{.name = "chained",
                                     .bytes_per_bucket = 8,
                                     .default_buckets = 0.1,
                                     .bytes_per_key = sizeof(ChainNode),
                                     .keeps_values = false,
                                     .rank = 0};

// Keys only, in nodes that are linked at their insert.
template <typename TableType, typename Nodes = InstructionNodes> class ChainsAccess : public TableAccess<TableType> {
  public:
    using Extra = ChainNode*;

    [[nodiscard]] Extra extra(std::size_t core, std::size_t place, std::uint64_t, std::size_t) const {
        return nodes_.of(core, place);
    }

    template <Operation operation> bool operate(std::size_t at, std::uint64_t key, Extra node, Order const& order) {
        auto& table = this->region(at);
        if constexpr (operation == Operation::Insert) {
            *node = {key, nullptr};
            return table.insert(*node) == order.expected;
        } else if constexpr (operation == Operation::Find) {
            return table.find(key) == order.expected;
        } else {
            return static_cast<bool>(table.erase(key)) == order.expected;
        }
    }

    [[nodiscard]] std::optional<std::uint64_t> value(std::uint64_t key) const {
        return value_if(this->table().region(this->owner(key)).lookup(key) != nullptr, key);
    }

  protected:
    ChainsAccess(EngineSetup const& setup, std::size_t buckets, Nodes nodes)
        : TableAccess<TableType>(setup, buckets)
        , nodes_(std::move(nodes)) {}

    // Errors: fewer buckets than cores.
    static Result<std::size_t> buckets_for(EngineSetup const& setup) {
        return count_buckets(setup.run, setup.owners.size());
    }

  private:
    Nodes nodes_;
};

template <typename Nodes> class ChainedAccessWith : public ChainsAccess<Chained<RegionModulo>, Nodes> {
  public:
    static constexpr bool queues_each_phase = true;

    // Errors: no memory, fewer buckets than cores.
    static Result<ChainedAccessWith> create(EngineSetup const& setup) {
        std::size_t const buckets = MXK_TRY(ChainedAccessWith::buckets_for(setup));
        return ChainedAccessWith(setup, buckets, MXK_TRY(Nodes::create(setup)));
    }
    Result<void> reset() { return this->make_table(); }

  private:
    using ChainsAccess<Chained<RegionModulo>, Nodes>::ChainsAccess;
};
using ChainedAccess = ChainedAccessWith<InstructionNodes>;

// Two keys in a line.
constexpr TableLayout bucketed_layout{
    .name = "bucketed", .bytes_per_bucket = cache_line_bytes, .default_buckets = 0.5, .rank = 1};

class BucketedAccess : public TableAccess<Bucketed> {
  public:
    using Extra = PairLine*; // the key's bucket

    // Errors: no memory, fewer buckets than cores.
    static Result<BucketedAccess> create(EngineSetup const& setup);
    Result<void> reset();

    [[nodiscard]] Extra extra(std::size_t, std::size_t, std::uint64_t key, std::size_t owner) const {
        return table().region(owner).position(key).line;
    }
    [[nodiscard]] static Annotation line(std::uint64_t, std::size_t, Extra bucket) {
        return Annotation::table_line(bucket);
    }

    template <Operation operation> bool operate(std::size_t at, std::uint64_t key, Extra bucket, Order const& order) {
        Bucketed::Position const position{Bucketed::Placement::hash(key), bucket};
        if constexpr (operation == Operation::Insert) {
            return region(at).insert(key, value_of(key), position) ==
                   (order.expected ? Insert::Inserted : Insert::Present);
        } else if constexpr (operation == Operation::Find) {
            std::uint64_t const* const value = Bucketed::find(key, position);
            return value == nullptr ? !order.expected : order.expected && is_value_of(key, *value, order);
        } else {
            return region(at).erase(key, position) == order.expected;
        }
    }
    [[gnu::noinline]] bool overwrite(std::size_t at, std::uint64_t key, Extra bucket, Order const& order) {
        return overwrite_in(region(at), order, key, Bucketed::Position{Bucketed::Placement::hash(key), bucket});
    }

    [[nodiscard]] std::optional<std::uint64_t> value(std::uint64_t key) const {
        return value_at(table().region(owner(key)).find(key));
    }

  private:
    BucketedAccess(EngineSetup const& setup, std::size_t buckets)
        : TableAccess(setup, buckets)
        , keys_per_region_(setup.run.operations / setup.owners.size() + 1) {}

    std::size_t keys_per_region_;
};

} // namespace mxk::bench
