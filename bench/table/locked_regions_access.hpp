// Open addressing in regions behind semaphores, as an engine of threads uses it (table_access.hpp): a region for each
// core of the run, with a semaphore, that grows by itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "bench/frame/ready_memory.hpp"
#include "bench/table/engine.hpp"
#include "bench/table/partitions_access.hpp"
#include "bench/table/table_access.hpp"
#include "bench/workload/instructions.hpp"
#include "hashtable/hash.hpp"
#include "hashtable/shared/locked_regions.hpp"
#include "kernel/memory/node_vector.hpp"

namespace mxk::bench {

template <typename Cells> class LockedRegionsAccess {
  public:
    using Regions = LockedRegions<Cells>;
    struct Extra {};

    static Result<LockedRegionsAccess> create(EngineSetup const& setup) { return LockedRegionsAccess(setup); }

    // A new, empty table; the last one gives its memory back first.
    Result<void> reset() {
        table_ = {};
        if (growth_bytes_ != 0) touched_bytes_ = make_memory_ready(growth_bytes_ / owners_.size(), owners_);
        table_ = MXK_TRY(NodeVector<Regions>::create(1, owners_.front().node));
        table_.emplace(MXK_TRY(Regions::create(size_, owners_, kind_)));
        return {};
    }

    // Slots.
    [[nodiscard]] std::size_t bucket_count() const { return table_.size() != 0 ? table().slot_count() : size_.slots; }
    [[nodiscard]] std::size_t owner(std::uint64_t key) const { return table().region_of(key); }
    void prefetch(std::uint64_t key) const { table().prefetch(key); }
    [[nodiscard]] Extra extra(std::size_t, std::size_t, std::uint64_t, std::size_t) const { return {}; }

    template <Operation operation> bool operate(std::size_t, std::uint64_t key, Extra, Order const& order) {
        if constexpr (operation == Operation::Insert) {
            return table().insert(key, value_of(key)) == (order.expected ? Insert::Inserted : Insert::Present);
        } else if constexpr (operation == Operation::Find) {
            return table().find(key, [&](std::uint64_t const* value) {
                return value == nullptr ? !order.expected : order.expected && is_value_of(key, *value, order);
            });
        } else {
            return table().erase(key) == order.expected;
        }
    }
    [[gnu::noinline]] bool overwrite(std::size_t, std::uint64_t key, Extra, Order const& order) {
        return overwrite_in(table(), order, key);
    }

    [[nodiscard]] std::optional<std::uint64_t> value(std::uint64_t key) const { return value_at(table().lookup(key)); }
    [[nodiscard]] std::size_t bytes() const { return table().bytes(); }
    [[nodiscard]] std::size_t touched_bytes() const { return touched_bytes_; }
    [[nodiscard]] Regions& table() const { return table_[0]; }

  private:
    explicit LockedRegionsAccess(EngineSetup const& setup)
        : owners_(setup.table_owners)
        , size_(table_size<typename Regions::Table>(setup.run))
        , growth_bytes_(growth_bytes(setup.run))
        , kind_(setup.run.semaphores) {}

    std::span<Owner const> owners_;
    TableSize size_;
    std::size_t growth_bytes_;
    std::size_t touched_bytes_ = 0;
    SemaphoreKind kind_;
    NodeVector<Regions> table_; // one, or none yet
};

} // namespace mxk::bench
