// Chained tables as the regions of a map, which has its nodes from the standard's allocator.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "hashtable/layout/chained.hpp"
#include "hashtable/modulo.hpp"
#include "hashtable/table/partitioned.hpp"

namespace mxk::test {

class ChainedMaps {
    struct Pair : ChainNode {
        std::uint64_t value;
    };
    using Table = Partitioned<Chained<RegionModulo, Pair>>;

  public:
    class Region {
      public:
        explicit Region(Chained<RegionModulo, Pair>& table)
            : table_(table) {}
        bool insert(std::uint64_t key, std::uint64_t value) {
            if (!table_.insert(next(key, value))) return false;
            use_next();
            return true;
        }
        bool upsert(std::uint64_t key, std::uint64_t value) {
            Pair& pair = next(key, value);
            Pair& its = table_.upsert(pair);
            its.value = value;
            if (&its == &pair) use_next();
            return &its == &pair;
        }
        bool update(std::uint64_t key, std::uint64_t value) {
            return modify(key, [value](std::uint64_t) { return value; }).has_value();
        }
        template <typename Change> std::optional<std::uint64_t> modify(std::uint64_t key, Change change) {
            Pair* const pair = table_.lookup(key);
            return pair != nullptr ? std::optional(std::exchange(pair->value, change(pair->value))) : std::nullopt;
        }
        [[nodiscard]] std::uint64_t const* find(std::uint64_t key) const {
            Pair const* const pair = table_.lookup(key);
            return pair != nullptr ? &pair->value : nullptr;
        }
        bool erase(std::uint64_t key) {
            if (!table_.erase(key)) return false;
            auto const at =
                std::find_if(used_.begin(), used_.end(), [&](auto const& pair) { return pair->key == key; });
            spare_.push_back(std::move(*at));
            used_.erase(at);
            return true;
        }

      private:
        Pair& next(std::uint64_t key, std::uint64_t value) {
            if (spare_.empty()) spare_.push_back(std::make_unique<Pair>());
            Pair& pair = *spare_.back();
            pair.key = key;
            pair.value = value;
            return pair;
        }
        void use_next() {
            used_.push_back(std::move(spare_.back()));
            spare_.pop_back();
        }

        Chained<RegionModulo, Pair>& table_;
        std::vector<std::unique_ptr<Pair>> used_;
        std::vector<std::unique_ptr<Pair>> spare_;
    };

    explicit ChainedMaps(Table table)
        : table_(std::move(table)) {
        for (std::size_t i = 0; i < table_.region_count(); ++i)
            regions_.push_back(std::make_unique<Region>(table_.region(i)));
    }
    static ChainedMaps create(std::size_t buckets, std::vector<Owner> const& owners) {
        return ChainedMaps(Table::create(buckets, owners).value());
    }
    [[nodiscard]] std::size_t owner(std::uint64_t key) const { return table_.owner(key); }
    [[nodiscard]] CoreId core(std::size_t region) const { return table_.core(region); }
    Region& region(std::size_t at) { return *regions_[at]; }

  private:
    Table table_;
    std::vector<std::unique_ptr<Region>> regions_;
};

} // namespace mxk::test
