// Tables that any core works on in place, as engines use them (table_access.hpp): there is no owner to go to. The table
// keeps readers and writers apart by itself; its operations run in read sections, which a task's body is and a thread
// enters.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "bench/frame/ready_memory.hpp"
#include "bench/table/engine.hpp"
#include "bench/table/partitions_access.hpp"
#include "bench/table/table_access.hpp"
#include "bench/workload/instructions.hpp"
#include "hashtable/shared/concurrent/concurrent_pairs.hpp"
#include "kernel/memory/node_vector.hpp"
#include "kernel/sync/rcu/rcu.hpp"
#include "tasks/annotation.hpp"

namespace mxk::bench {

// What tasks are in anyway.
struct NoSection {
    NoSection() {} // so that it counts as used
};

// What all of them do alike. Section: NoSection, or rcu::ReadSection. Access: the class that derives from it; its
// table() has the operations of hashtable/value_writes.hpp, and a find() that gives an optional value.
template <typename Access, typename Section> class InPlaceOperations {
  public:
    struct Extra {};
    // Whichever core takes an instruction carries it out.
    static constexpr bool is_shared = true;

    [[nodiscard]] Extra extra(std::size_t, std::size_t, std::uint64_t, std::size_t) const { return {}; }

    template <Operation operation> bool operate(std::size_t, std::uint64_t key, Extra, Order const& order) {
        [[maybe_unused]] Section const section;
        if constexpr (operation == Operation::Insert) {
            return table().insert(key, value_of(key)) == (order.expected ? Insert::Inserted : Insert::Present);
        } else if constexpr (operation == Operation::Find) {
            return is_expected(key, table().find(key), order);
        } else {
            return table().erase(key) == order.expected;
        }
    }
    [[gnu::noinline]] bool overwrite(std::size_t, std::uint64_t key, Extra, Order const& order) {
        [[maybe_unused]] Section const section;
        return overwrite_in(table(), order, key);
    }
    [[nodiscard]] std::optional<std::uint64_t> value(std::uint64_t key) const {
        [[maybe_unused]] Section const section;
        return table().find(key);
    }
    // Finds, up to max_finds at a time: how many have another result than the expected one.
    static constexpr std::size_t max_finds = 256;
    std::uint64_t find_each(std::span<Instruction const> finds) {
        [[maybe_unused]] Section const section;
        std::uint64_t wrong = 0;
        std::array<std::uint64_t, max_finds> keys;
        for (std::size_t i = 0; i < finds.size(); ++i) keys[i] = finds[i].key;
        table().find_each(std::span(keys).first(finds.size()),
                          [&](std::size_t at, std::optional<std::uint64_t> const& value) {
                              wrong += is_expected(finds[at].key, value, finds[at]) ? 0U : 1U;
                          });
        return wrong;
    }

  private:
    static bool is_expected(std::uint64_t key, std::optional<std::uint64_t> const& value, Order const& order) {
        return value ? order.expected && is_value_of(key, *value, order) : !order.expected;
    }

    friend Access;
    InPlaceOperations() = default;
    [[nodiscard]] auto& table() const { return static_cast<Access const&>(*this).table(); }
};

// Section: NoSection, or rcu::ReadSection.
template <typename Section> class ConcurrentAccess : public InPlaceOperations<ConcurrentAccess<Section>, Section> {
    using Operations = InPlaceOperations<ConcurrentAccess, Section>;

  public:
    using typename Operations::Extra;

    static Result<ConcurrentAccess> create(EngineSetup const& setup) {
        auto nodes = MXK_TRY(NodeVector<NodeId>::create(setup.table_owners.size(), setup.owners.front().node));
        for (Owner const& owner : setup.table_owners)
            if (std::find(nodes.begin(), nodes.end(), owner.node) == nodes.end()) nodes.emplace(owner.node);
        return ConcurrentAccess(setup, std::move(nodes));
    }

    // A new, empty table; the last one gives its memory back first.
    Result<void> reset() {
        table_ = {};
        if (growth_bytes_ != 0) touched_bytes_ = make_memory_ready(growth_bytes_ / owners_.size(), owners_);
        table_ = MXK_TRY(NodeVector<ConcurrentPairs>::create(1, owners_.front().node));
        table_.emplace(MXK_TRY(ConcurrentPairs::make(shape_, nodes_.span(), owners_, pairs_per_core_)));
        return {};
    }

    // Heads of chains.
    [[nodiscard]] std::size_t bucket_count() const {
        return table_.size() != 0 ? table().head_count() : std::size_t{1} << shape_.first_order();
    }
    [[nodiscard]] Annotation line(std::uint64_t key, std::size_t, Extra) const {
        return Annotation::table_line(table().head(key));
    }
    void prefetch(std::uint64_t key) const { table().prefetch(key); }
    void prefetch_first(std::uint64_t key) const { table().prefetch_first(key); }

    [[nodiscard]] std::size_t bytes() const { return table().bytes(); }
    [[nodiscard]] std::size_t touched_bytes() const { return touched_bytes_; }
    [[nodiscard]] ConcurrentPairs& table() const { return table_[0]; }
    Result<void> settle() {
        table().settle();
        return {};
    }

  private:
    ConcurrentAccess(EngineSetup const& setup, NodeVector<NodeId> nodes)
        : owners_(setup.table_owners)
        , nodes_(std::move(nodes))
        , shape_(shape_for(setup.run))
        , pairs_per_core_(setup.run.operations / owners_.size() + 1)
        , growth_bytes_(growth_bytes(setup.run)) {}

    // A head for each key, or as the options say.
    static concurrent::TableShape shape_for(TableOptions const& options) {
        if (options.initial_slots) return {.first_heads = *options.initial_slots, .max_load = 1};
        return {.first_heads =
                    static_cast<std::size_t>(static_cast<double>(options.operations) / options.load.value_or(1.0))};
    }

    std::span<Owner const> owners_;
    NodeVector<NodeId> nodes_; // of the owners, each once
    concurrent::TableShape shape_;
    std::size_t pairs_per_core_;
    std::size_t growth_bytes_;
    std::size_t touched_bytes_ = 0;
    NodeVector<ConcurrentPairs> table_; // one, or none yet
};

} // namespace mxk::bench
