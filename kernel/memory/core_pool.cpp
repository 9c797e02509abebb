#include "kernel/memory/core_pool.hpp"

#include "kernel/memory/memory.hpp"

namespace mxk {

void* CorePool::carve(Size& size) {
    std::size_t const bytes = sizes[static_cast<std::size_t>(&size - sizes_.data())] * smallest_bytes;
    if (static_cast<std::size_t>(size.fresh_end - size.fresh) < bytes) { // a rest of less than an object is left
        auto slab = memory::allocate(slab_bytes, cache_line_bytes, node_);
        if (!slab.ok()) return nullptr;
        size.fresh = slab.value().address;
        size.fresh_end = size.fresh + slab_bytes;
        ++slabs_;
    }
    std::byte* const object = size.fresh;
    size.fresh += bytes;
    ++in_use_;
    return object;
}

} // namespace mxk
