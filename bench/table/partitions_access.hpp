// Tables of partitions (hashtable/table/sharded.hpp) as engines use them: as table_access.hpp says, but that only
// the owner knows what an operation touches, and asks for it by prefetch(at, key).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "base/result.hpp"
#include "bench/frame/ready_memory.hpp"
#include "bench/table/engine.hpp"
#include "bench/table/table_access.hpp"
#include "bench/workload/instructions.hpp"
#include "hashtable/table/resharding.hpp"
#include "hashtable/table/sharded.hpp"
#include "kernel/memory/node_vector.hpp"

namespace mxk::bench {

// As large as the options say, or for as many keys as there are operations.
template <typename Table> TableSize table_size(TableRun const& run) {
    if (run.initial_slots) return {.slots = run.first_slots()};
    // What chance adds to a block is not to make it two.
    return {.slots = run.first_slots(), .load = std::max(run.load.value_or(0.5) * 1.06, Table::Layout::default_load)};
}

// Memory that the table will ask for; 0 for one that begins large enough.
inline std::size_t growth_bytes(TableOptions const& options) {
    // What a key and a value take when all blocks have just become two, and some more.
    constexpr std::size_t max_bytes_of_pair = 48;
    return options.initial_slots ? options.operations * max_bytes_of_pair : 0;
}

// What all have in common.
template <typename TableType> class PartitionsAccessBase {
  public:
    using Table = TableType;
    using Regions = Sharded<Table>;

    // A new, empty table; the last one gives its memory back first.
    Result<void> reset() {
        table_ = {};
        if (growth_bytes_ != 0) touched_bytes_ = make_memory_ready(growth_bytes_ / owners_.size(), owners_);
        table_ = MXK_TRY(NodeVector<Regions>::create(1, owners_.front().node));
        table_.emplace(MXK_TRY(Regions::create(size_, owners_, first_owners_)));
        return {};
    }

    // Slots, as they are called where buckets have one.
    [[nodiscard]] std::size_t bucket_count() const { return table_.size() != 0 ? table().slot_count() : size_.slots; }
    [[nodiscard]] std::size_t owner(std::uint64_t key) const { return table().owner(key); }
    // The owner, or any core while nobody works.
    void prefetch(std::size_t at, std::uint64_t key) const { table().region(at).prefetch(key); }
    void prefetch(std::uint64_t key) const { prefetch(owner(key), key); }
    bool is_diverted(Worker& worker, std::size_t at, std::uint64_t key, Task& task) const {
        return table().is_diverted(worker, at, key, task);
    }
    [[nodiscard]] Regions& table() const { return table_[0]; }
    [[nodiscard]] std::size_t bytes() const { return table().bytes(); }
    [[nodiscard]] std::size_t touched_bytes() const { return touched_bytes_; }
    Result<void> change_owners(std::size_t owners) { return reshard(table(), owners); }
    Result<void> settle() {
        table().settle();
        return {};
    }

  protected:
    explicit PartitionsAccessBase(EngineSetup const& setup)
        : owners_(setup.table_owners)
        , first_owners_(setup.run.owners.empty() ? owners_.size() : setup.run.owners.values().front())
        , size_(table_size<Table>(setup.run))
        , growth_bytes_(growth_bytes(setup.run)) {}

    [[nodiscard]] auto find(std::uint64_t key) const { return table().region(owner(key)).find(key); }

  private:
    std::span<Owner const> owners_;
    std::size_t first_owners_;
    TableSize size_;
    std::size_t growth_bytes_;      // memory that the table will ask for; 0 for one that does not grow
    std::size_t touched_bytes_ = 0; // what was found of it before the run
    NodeVector<Regions> table_;     // one, or none yet
};

// Of keys and values of 8 bytes.
template <typename Table> class PartitionsAccess : public PartitionsAccessBase<Table> {
  public:
    struct Extra {};

    static Result<PartitionsAccess> create(EngineSetup const& setup) { return PartitionsAccess(setup); }

    [[nodiscard]] Extra extra(std::size_t, std::size_t, std::uint64_t, std::size_t) const { return {}; }

    template <Operation operation> bool operate(std::size_t at, std::uint64_t key, Extra, Order const& order) {
        auto& share = this->table().region(at);
        if constexpr (operation == Operation::Insert) {
            return share.insert(key, value_of(key)) == (order.expected ? Insert::Inserted : Insert::Present);
        } else if constexpr (operation == Operation::Find) {
            std::uint64_t const* const value = share.find(key);
            return value == nullptr ? !order.expected : order.expected && is_value_of(key, *value, order);
        } else {
            return share.erase(key) == order.expected;
        }
    }
    [[gnu::noinline]] bool overwrite(std::size_t at, std::uint64_t key, Extra, Order const& order) {
        return overwrite_in(this->table().region(at), order, key);
    }

    [[nodiscard]] std::optional<std::uint64_t> value(std::uint64_t key) const { return value_at(this->find(key)); }

  private:
    using PartitionsAccessBase<Table>::PartitionsAccessBase;
};

// Of keys in nodes: one is ready for every instruction.
template <typename Table> class NodePartitionsAccess : public PartitionsAccessBase<Table> {
  public:
    using Extra = ChainNode*;

    // Errors: no memory.
    static Result<NodePartitionsAccess> create(EngineSetup const& setup) {
        auto nodes = MXK_TRY(InstructionNodes::create(setup));
        return Result<NodePartitionsAccess>(NodePartitionsAccess(setup, std::move(nodes)));
    }

    [[nodiscard]] Extra extra(std::size_t core, std::size_t place, std::uint64_t, std::size_t) const {
        return nodes_.of(core, place);
    }

    template <Operation operation> bool operate(std::size_t at, std::uint64_t key, Extra node, Order const& order) {
        auto& share = this->table().region(at);
        if constexpr (operation == Operation::Insert) {
            *node = {key, nullptr};
            return share.insert(key, node) == (order.expected ? Insert::Inserted : Insert::Present);
        } else if constexpr (operation == Operation::Find) {
            return (share.find(key) != nullptr) == order.expected;
        } else {
            return share.erase(key) == order.expected;
        }
    }

    [[nodiscard]] std::optional<std::uint64_t> value(std::uint64_t key) const {
        return value_if(this->find(key) != nullptr, key);
    }

  private:
    NodePartitionsAccess(EngineSetup const& setup, InstructionNodes nodes)
        : PartitionsAccessBase<Table>(setup)
        , nodes_(std::move(nodes)) {}

    InstructionNodes nodes_;
};

} // namespace mxk::bench
