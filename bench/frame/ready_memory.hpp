// Memory that a table will ask for while it is measured, found beforehand.
#pragma once

#include <cstddef>
#include <span>

#include "hashtable/table/partitioned.hpp"

namespace mxk::bench {

// Takes so much memory for each of the owners from its node, or what the node has, writes to every frame of it and
// gives it back: who asks for memory next gets this. A bare machine's memory is there anyway; but another system looks
// for a page only when it is written to, and clears it first, which would be measured (and more than doubles the
// slowest operations). Gives how many bytes it was. Any core; may block for the allocator's lock, and takes some 100 ms
// per GiB the first time.
std::size_t make_memory_ready(std::size_t bytes_each, std::span<Owner const> owners);

} // namespace mxk::bench
