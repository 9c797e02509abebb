#include "kernel/memory/core_pool.hpp"

#include <algorithm>

#include "kernel/memory/memory.hpp"

namespace mxk {

void* CorePool::carve(Size& size, std::size_t bytes) {
    if (size.fresh == size.fresh_end) {
        auto slab = memory::allocate(slab_bytes, cache_line_bytes, node_);
        if (!slab.ok()) return nullptr;
        size.fresh = slab.value().address;
        size.fresh_end = size.fresh + slab_bytes;
        ++slabs_;
    }
    std::byte* const object = size.fresh;
    size.fresh += std::bit_ceil(std::max(bytes, smallest_bytes)); // every size divides the slab: no rest
    ++in_use_;
    return object;
}

} // namespace mxk
