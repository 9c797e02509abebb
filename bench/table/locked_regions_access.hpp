// Growing tables as threads use them (table_access.hpp): a region for each core of the run, with a semaphore.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.hpp"
#include "bench/frame/ready_memory.hpp"
#include "bench/table/engine.hpp"
#include "bench/table/table_size.hpp"
#include "bench/workload/instructions.hpp"
#include "hashtable/shared/locked_regions.hpp"
#include "kernel/memory/node_vector.hpp"

namespace mxk::bench {

// Of keys and values of 8 bytes.
template <typename Cells, typename Hash = MixedHash> class LockedRegionsAccess {
  public:
    using Regions = LockedRegions<Cells, Hash>;
    struct Extra {};

    static Result<LockedRegionsAccess> create(EngineSetup const& setup) { return LockedRegionsAccess(setup); }

    // A new, empty table; the last one gives its memory back first.
    Result<void> renew() {
        table_ = {};
        if (growth_bytes_ != 0) make_memory_ready(growth_bytes_ / owners_.size(), owners_);
        table_ = MXK_TRY(NodeVector<Regions>::create(1, owners_.front().node));
        table_.emplace(MXK_TRY(Regions::create(size_, owners_, kind_, hash_for<Hash>(size_.slots))));
        return {};
    }

    // Slots.
    [[nodiscard]] std::size_t bucket_count() const { return table_.size() != 0 ? table().slot_count() : size_.slots; }
    [[nodiscard]] std::size_t owner(std::uint64_t key) const { return table().region_of(key); }
    void prefetch(std::uint64_t key) const { table().prefetch(key); }
    [[nodiscard]] Extra extra(std::size_t, std::size_t) const { return {}; }

    template <Operation operation> bool operate(std::size_t, std::uint64_t key, Extra, bool expected) {
        if constexpr (operation == Operation::Insert) {
            return table().insert(key, value_of(key)) == (expected ? Insert::Inserted : Insert::Present);
        } else if constexpr (operation == Operation::Find) {
            return table().find(key, [&](std::uint64_t const* value) {
                return value == nullptr ? !expected : expected && *value == value_of(key);
            });
        } else {
            return table().erase(key) == expected;
        }
    }

    [[nodiscard]] bool holds(std::uint64_t key) const {
        std::uint64_t const* const value = table().lookup(key);
        return value != nullptr && *value == value_of(key);
    }
    [[nodiscard]] Engine::Content content() const {
        Engine::Content content;
        table().for_each([&](std::uint64_t, auto const&) { ++content.counted; });
        content.said = table().size();
        return content;
    }
    [[nodiscard]] std::size_t bytes() const { return table().bytes(); }

  private:
    explicit LockedRegionsAccess(EngineSetup const& setup)
        : owners_(setup.owners)
        , size_(table_size<typename Regions::Table>(setup.options))
        , growth_bytes_(growth_bytes(setup.options))
        , kind_(semaphore_kind(setup.options)) {}

    [[nodiscard]] Regions& table() const { return table_[0]; }

    std::span<Owner const> owners_;
    TableSize size_;
    std::size_t growth_bytes_;
    SemaphoreKind kind_;
    NodeVector<Regions> table_; // one, or none yet
};

} // namespace mxk::bench
