// A key and a value in a concurrent table's chain.
#pragma once

#include <atomic>
#include <cstdint>

#include "hashtable/shared/concurrent/marked_link.hpp"

namespace mxk::concurrent {

// Half a cache line.
struct alignas(32) Pair : Node {
    std::uint64_t key = 0;
    std::atomic<std::uint64_t> value{0}; // relaxed where the link's compare-exchange orders it
};
static_assert(sizeof(Pair) == 32);

} // namespace mxk::concurrent
