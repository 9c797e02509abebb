// The tables as engines use them: one class for each layout, all with the same functions, called without indirection.
//
//     owner(key), line(key, owner)    from what nobody writes: any core, at any time
//     extra(core, place)              what else the owner needs for the instruction at this place of the core's source
//     operate<operation>(region, key, extra, expected)
//                                     whether the result, and the value found, are the expected ones: the owner only
//     holds(key), content()           any core while nobody works
//
// A table is for as many keys as there are instructions; renew() replaces it by an empty one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.hpp"
#include "bench/engine.hpp"
#include "bench/instructions.hpp"
#include "hashtable/bucketed.hpp"
#include "hashtable/chained.hpp"
#include "hashtable/modulo.hpp"
#include "hashtable/partitioned.hpp"
#include "kernel/memory/node_array.hpp"
#include "kernel/memory/node_vector.hpp"
#include "tasks/annotation.hpp"

namespace mxk::bench {

// What both have in common: regions, and a new table for each run.
template <typename TableType> class TableAccess {
  public:
    using Table = TableType;

    TableAccess(EngineSetup const& setup, std::size_t buckets)
        : owners_(setup.owners)
        , buckets_(buckets) {}

    [[nodiscard]] std::size_t bucket_count() const { return buckets_; }
    [[nodiscard]] std::size_t owner(std::uint64_t key) const { return table_[0].owner(key); }
    [[nodiscard]] Annotation line(std::uint64_t key, std::size_t owner) const {
        return Annotation::writes(static_cast<void const*>(table_[0].bucket_of(key, owner)));
    }

    void prefetch(std::uint64_t key) const { line(key, owner(key)).prefetch(); }

    // Of the buckets; without what a table may have behind them.
    [[nodiscard]] std::size_t bytes() const { return buckets_ * sizeof(typename Table::Bucket); }

    // The part of the table that the core at this place owns. The owner only.
    [[nodiscard]] Table& region(std::size_t at) { return table_[0].region(at); }
    [[nodiscard]] Partitioned<Table>& table() { return table_[0]; }
    [[nodiscard]] Partitioned<Table> const& table() const { return table_[0]; }

  protected:
    Result<void> make_table() {
        table_ = {}; // the last one gives its memory back before a new one takes some
        table_ = MXK_TRY(NodeVector<Partitioned<Table>>::create(1, owners_.front().node));
        table_.emplace(MXK_TRY(Partitioned<Table>::create(buckets_, owners_)));
        return {};
    }

  private:
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

// Keys only, in nodes that are linked at their insert.
class ChainedAccess : public TableAccess<Chained<RegionModulo>> {
  public:
    using Extra = ChainNode*;
    static constexpr double usual_buckets = 0.1; // per operation: the thesis'

    // Errors: no memory, fewer buckets than cores.
    static Result<ChainedAccess> create(EngineSetup const& setup);
    Result<void> renew() { return make_table(); }

    [[nodiscard]] Extra extra(std::size_t core, std::size_t place) const { return nodes_.of(core, place); }

    template <Operation operation> bool operate(std::size_t at, std::uint64_t key, Extra node, bool expected) {
        if constexpr (operation == Operation::Insert) {
            *node = {key, nullptr};
            return region(at).insert(*node) == expected;
        } else if constexpr (operation == Operation::Find) {
            return region(at).find(key) == expected;
        } else {
            return region(at).erase(key) == expected;
        }
    }

    [[nodiscard]] bool holds(std::uint64_t key) const { return table().region(owner(key)).find(key); }
    [[nodiscard]] Engine::Content content() const;

  private:
    ChainedAccess(EngineSetup const& setup, std::size_t buckets, InstructionNodes nodes)
        : TableAccess(setup, buckets)
        , nodes_(std::move(nodes)) {}

    InstructionNodes nodes_;
};

class BucketedAccess : public TableAccess<Bucketed> {
  public:
    struct Extra {};
    static constexpr double usual_buckets = 0.5; // per operation: two keys in a line

    // Errors: no memory, fewer buckets than cores.
    static Result<BucketedAccess> create(EngineSetup const& setup);
    Result<void> renew();

    [[nodiscard]] Extra extra(std::size_t, std::size_t) const { return {}; }

    template <Operation operation> bool operate(std::size_t at, std::uint64_t key, Extra, bool expected) {
        if constexpr (operation == Operation::Insert) {
            return region(at).insert(key, value_of(key)) == (expected ? Insert::Inserted : Insert::Present);
        } else if constexpr (operation == Operation::Find) {
            std::uint64_t const* const value = region(at).find(key);
            return value == nullptr ? !expected : expected && *value == value_of(key);
        } else {
            return region(at).erase(key) == expected;
        }
    }

    [[nodiscard]] bool holds(std::uint64_t key) const {
        std::uint64_t const* const value = table().region(owner(key)).find(key);
        return value != nullptr && *value == value_of(key);
    }
    [[nodiscard]] Engine::Content content() const;

  private:
    BucketedAccess(EngineSetup const& setup, std::size_t buckets)
        : TableAccess(setup, buckets)
        , keys_per_region_(setup.options.operations / setup.owners.size() + 1) {}

    std::size_t keys_per_region_;
};

} // namespace mxk::bench
