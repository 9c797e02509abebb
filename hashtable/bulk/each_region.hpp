// Something that is done to each region of a bulk table, by any number of threads: each takes the next region.
#pragma once

#include <atomic>
#include <cstddef>
#include <span>
#include <utility>

#include "hashtable/bulk/helpers.hpp"

namespace mxk {

// function(region), which takes the region's lock.
template <typename Region, typename Function> class EachRegion final : public SharedWork {
  public:
    EachRegion(std::span<Region> regions, Function function)
        : regions_(regions)
        , function_(std::move(function)) {}

    Turn turn() override {
        // relaxed: who has a region has it alone
        std::size_t const at = next_.fetch_add(1, std::memory_order_relaxed);
        if (at >= regions_.size()) // acquire: pairs with the end of each
            return finished_.load(std::memory_order_acquire) == regions_.size() ? Turn::Over : Turn::Waiting;
        function_(regions_[at]);
        finished_.fetch_add(1, std::memory_order_release);
        return Turn::Done;
    }

  private:
    std::span<Region> regions_;
    Function function_;
    std::atomic<std::size_t> next_{0};
    std::atomic<std::size_t> finished_{0};
};

} // namespace mxk
