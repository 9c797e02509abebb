// A general-purpose allocator with one lock for all cores: what per-core allocators are compared with. Objects have
// powers of two bytes, each size a list of those that are free, last in, first out; lists are filled from chunks of
// node memory, which are given back together when no object is left. Objects above half a MiB are a chunk each.
#pragma once

#include <cstddef>

namespace mxk::bench {

struct LockedHeap {
    // Aligned to 16. Null: no memory. Any core; blocks for the lock, and for a node's.
    static void* allocate(std::size_t bytes);
    static void deallocate(void* place, std::size_t bytes);
    // All chunks, if no object is live.
    static void give_back();
};

} // namespace mxk::bench
