// A table for tests of batches: regions that are maps, with as many keys as they are given room for, and delays where
// the owner works.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/units.hpp"
#include "hashtable/insert.hpp"
#include "hashtable/value_writes.hpp"
#include "tests/delays.hpp"

namespace mxk::test {

using Delay = void (*)();

class MapRegion : public ValueWrites<MapRegion> {
  public:
    MapRegion(std::size_t max_keys, Delay delay)
        : max_keys_(max_keys)
        , delay_(delay) {}

    mxk::Insert insert(std::uint64_t key, std::uint64_t value) {
        delay_();
        if (pairs_.contains(key)) return mxk::Insert::Present;
        if (pairs_.size() == max_keys_) return mxk::Insert::Full;
        pairs_[key] = value;
        return mxk::Insert::Inserted;
    }
    std::uint64_t* find(std::uint64_t key) {
        delay_();
        auto const at = pairs_.find(key);
        return at != pairs_.end() ? &at->second : nullptr;
    }
    bool erase(std::uint64_t key) {
        delay_();
        return pairs_.erase(key) != 0;
    }
    void prefetch(std::uint64_t) const {}
    [[nodiscard]] std::size_t size() const { return pairs_.size(); }

  private:
    std::size_t max_keys_;
    Delay delay_;
    std::unordered_map<std::uint64_t, std::uint64_t> pairs_;
};

// Key k belongs to region k mod n.
class MapRegions {
  public:
    explicit MapRegions(std::vector<CoreId> owners, Delay delay = &NoDelay::point, std::size_t max_keys = 1'000'000)
        : owners_(std::move(owners)) {
        for (std::size_t i = 0; i < owners_.size(); ++i)
            regions_.push_back(std::make_unique<MapRegion>(max_keys, delay));
    }
    [[nodiscard]] std::size_t owner(std::uint64_t key) const { return key % owners_.size(); }
    [[nodiscard]] CoreId core(std::size_t region) const { return owners_[region]; }
    MapRegion& region(std::size_t at) { return *regions_[at]; }
    [[nodiscard]] std::size_t region_count() const { return owners_.size(); }

  private:
    std::vector<CoreId> owners_;
    std::vector<std::unique_ptr<MapRegion>> regions_;
};

} // namespace mxk::test
