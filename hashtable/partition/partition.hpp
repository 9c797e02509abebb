// One partition of a table (partitions.hpp): a table that grows by itself, and who owns it.
#pragma once

#include <atomic>
#include <utility>

#include "base/units.hpp"

namespace mxk {

template <typename Table> class Share;

// The owner's, but for the owners, which any core may read.
template <typename Table> struct alignas(cache_line_bytes) Partition {
    explicit Partition(Table its_table)
        : table(std::move(its_table)) {}

    // Written by the share that takes it over and by the one that gives it away; null on the way between them. relaxed:
    // a core only asks whether it is its own.
    std::atomic<Share<Table>*> owner{nullptr};
    // Who owns it when the last change of owners is over; written before anybody acts on it.
    std::atomic<Share<Table>*> coming_owner{nullptr};
    Table table;
    Partition* next = nullptr; // of those that have work, while it is one of them
    bool is_listed = false;
};

} // namespace mxk
