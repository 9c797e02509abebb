// A table of partitions (hashtable/partitions.hpp) as engines use it; as table_access.hpp says, but that what an
// operation touches is known to the owner alone: it asks for it by prefetch(), which any core may call while nobody
// works.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/result.hpp"
#include "bench/engine.hpp"
#include "bench/instructions.hpp"
#include "hashtable/partitions.hpp"

namespace mxk::bench {

// Tables of 8-byte keys and values.
template <typename Table> class PartitionsAccess {
  public:
    struct Extra {};
    using Regions = Partitions<Table>;

    // Errors: no memory, contradicting sizes.
    static Result<PartitionsAccess> create(EngineSetup const& setup) { return PartitionsAccess(setup); }

    // A new, empty table; the last one gives its memory back first.
    Result<void> renew() {
        table_.reset();
        table_.emplace(MXK_TRY(Regions::create(size_, owners_, owners_.size())));
        return {};
    }

    [[nodiscard]] std::size_t bucket_count() const { return table_ ? table_->slot_count() : size_.slots; }
    [[nodiscard]] std::size_t owner(std::uint64_t key) const { return table_->owner(key); }
    void prefetch(std::uint64_t key) const { table_->region(owner(key)).prefetch(key); }
    [[nodiscard]] Extra extra(std::size_t, std::size_t) const { return {}; }
    [[nodiscard]] Regions& table() { return *table_; }

    template <Operation operation> bool operate(std::size_t at, std::uint64_t key, Extra, bool expected) {
        auto& share = table_->region(at);
        if constexpr (operation == Operation::Insert) {
            return share.insert(key, value_of(key)) == (expected ? Insert::Inserted : Insert::Present);
        } else if constexpr (operation == Operation::Find) {
            std::uint64_t const* const value = share.find(key);
            return value == nullptr ? !expected : expected && *value == value_of(key);
        } else {
            return share.erase(key) == expected;
        }
    }

    [[nodiscard]] bool holds(std::uint64_t key) const {
        std::uint64_t const* const value = table_->region(owner(key)).find(key);
        return value != nullptr && *value == value_of(key);
    }
    [[nodiscard]] Engine::Content content() const {
        Engine::Content content;
        table_->for_each([&](std::uint64_t, std::uint64_t) { ++content.counted; });
        content.said = table_->size();
        return content;
    }
    [[nodiscard]] std::size_t bytes() const { return table_->bytes(); }
    Result<void> settle() {
        return table_->settle() ? Result<void>() : Error("out of memory: no room for the tasks of the run");
    }

  private:
    explicit PartitionsAccess(EngineSetup const& setup)
        : owners_(setup.owners)
        , size_(table_size(setup.options)) {}

    // As large as the options say, or for as many keys as there are operations.
    static TableSize table_size(TableOptions const& options) {
        if (options.initial_slots) return {.slots = *options.initial_slots};
        double const load = options.load.value_or(usual_load);
        auto const cells = std::ceil(static_cast<double>(options.operations) / load);
        // Room for what chance adds to a block, where the layout would make two of it.
        double const limit = std::max(load * 1.06, Table::Layout::usual_load);
        return {.slots = static_cast<std::size_t>(cells), .load = limit};
    }
    static constexpr double usual_load = 0.5;

    std::span<Owner const> owners_;
    TableSize size_;
    std::optional<Regions> table_;
};

} // namespace mxk::bench
