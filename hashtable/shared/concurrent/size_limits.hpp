// When a concurrent table grows and shrinks: with how many nodes, and after memory was refused, with how many it asks
// again.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/units.hpp"
#include "hashtable/shared/concurrent/head_block.hpp"
#include "hashtable/shared/concurrent/table_shape.hpp"

namespace mxk::concurrent {

// Heads are counted by their order: there are 2^order. Any core; never blocks. relaxed, all of it: numbers that order
// nothing.
class alignas(cache_line_bytes) SizeLimits {
  public:
    // A table that has just been made.
    explicit SizeLimits(TableShape const& shape)
        : max_load_(shape.max_load)
        , min_order_(shape.first_order()) {
        resized_to(min_order_);
    }

    // Of each update: whether wanted_order() may be another one than the table has.
    [[nodiscard]] bool may_want_resize(std::int64_t nodes) const {
        return nodes > grow_at_.load(std::memory_order_relaxed) || nodes < shrink_at_.load(std::memory_order_relaxed);
    }
    // How many nodes each of the machine's cores counts before it tells the others: together no more than a quarter of
    // what the table is made for.
    static constexpr std::int64_t max_together = 64;
    [[nodiscard]] std::int64_t counted_together(unsigned order, std::size_t cores) const {
        return std::clamp<std::int64_t>(full(order) / (4 * static_cast<std::int64_t>(cores)), 1, max_together);
    }
    // Of the heads that there are, or were a moment ago.
    [[nodiscard]] unsigned order() const { return order_.load(std::memory_order_relaxed); }
    // With so many nodes there should be more heads.
    [[nodiscard]] bool wants_more(unsigned order, std::int64_t nodes) const { return nodes > full(order); }
    // What the heads should have that have `order`, a step from it.
    [[nodiscard]] unsigned wanted_order(unsigned order, std::int64_t nodes) const {
        nodes = std::max(nodes, reserved_.load(std::memory_order_relaxed));
        if (wants_more(order, nodes)) {
            bool const may_grow = order < HeadBlock::max_order && nodes >= refused_at_.load(std::memory_order_relaxed);
            return may_grow ? order + 1 : order;
        }
        return order > min_order_ && nodes < shrinks_below(order) ? order - 1 : order;
    }

    // The leader of resizes only, all of these but reserve():

    // It has so many heads now. What was refused before, is asked for again: others may have been given memory back.
    void resized_to(unsigned order) {
        refused_at_.store(0, std::memory_order_relaxed);
        refused_below_.store(no_limit, std::memory_order_relaxed);
        set_limits(order);
    }
    // There is no memory for `wanted` in place of `order`: not before there are an eighth more nodes, or fewer.
    void refused(unsigned order, unsigned wanted, std::int64_t nodes) {
        if (wanted < order) return refused_below_.store(nodes - nodes / 8, std::memory_order_relaxed);
        refused_at_.store(std::max(nodes, full(order)) * 9 / 8 + 1, std::memory_order_relaxed);
        // What was reserved stays so as far as it was reached. If it fails, somebody has just reserved something else,
        // and asks for that.
        std::int64_t reserved = reserved_.load(std::memory_order_relaxed);
        reserved_.compare_exchange_strong(reserved, std::min(reserved, full(order)), std::memory_order_relaxed);
    }
    // For the heads that there are: with how many nodes each update asks for a resize.
    void set_limits(unsigned order) {
        order_.store(order, std::memory_order_relaxed);
        grow_at_.store(std::max(full(order), refused_at_.load(std::memory_order_relaxed)), std::memory_order_relaxed);
        bool const may_shrink = order > min_order_ && reserved_.load(std::memory_order_relaxed) < full(order) / 8;
        shrink_at_.store(may_shrink ? shrinks_below(order) : std::numeric_limits<std::int64_t>::min(),
                         std::memory_order_relaxed);
    }
    // No smaller than for so many nodes, and memory for that is asked for at once.
    void reserve(std::int64_t nodes) {
        reserved_.store(nodes, std::memory_order_relaxed);
        refused_at_.store(0, std::memory_order_relaxed);
    }

  private:
    static constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

    [[nodiscard]] std::int64_t full(unsigned order) const {
        return static_cast<std::int64_t>(max_load_ * static_cast<double>(std::uint64_t{1} << order));
    }

    [[nodiscard]] std::int64_t shrinks_below(unsigned order) const {
        return std::min(full(order) / 8, refused_below_.load(std::memory_order_relaxed));
    }

    double max_load_;
    unsigned min_order_;
    std::atomic<unsigned> order_{0};
    std::atomic<std::int64_t> grow_at_{0};
    std::atomic<std::int64_t> shrink_at_{0};
    // Nodes from which on memory for more heads is asked for again, and below which that for fewer.
    std::atomic<std::int64_t> refused_at_{0};
    std::atomic<std::int64_t> refused_below_{no_limit};
    std::atomic<std::int64_t> reserved_{0};
};

} // namespace mxk::concurrent
