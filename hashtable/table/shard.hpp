// One shard of a table (sharded.hpp): a table that grows by itself, and who owns it.
#pragma once

#include <atomic>
#include <utility>

#include "base/units.hpp"

namespace mxk {

template <typename Table> class OwnedShards;

// The owner's, but for the owners, which any core may read.
template <typename Table> struct alignas(cache_line_bytes) Shard {
    explicit Shard(Table its_table)
        : table(std::move(its_table)) {}

    // Written by the core that takes it over and by the one that gives it away; null on the way between them. relaxed:
    // a core only asks whether it is its own.
    std::atomic<OwnedShards<Table>*> owner{nullptr};
    // Who owns it when the last change of owners is over; written before anybody acts on it.
    std::atomic<OwnedShards<Table>*> coming_owner{nullptr};
    Table table;
    Shard* next = nullptr; // of those that have work, while it is one of them
    bool is_listed = false;
};

} // namespace mxk
