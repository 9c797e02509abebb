#include "bench/machine/paged_memory.hpp"

#include "bench/machine/byte_text.hpp"

namespace mxk::bench {

Result<PagedMemory> PagedMemory::create(std::size_t wanted, std::size_t page_bytes, NodeId node) {
    for (std::size_t pages = wanted; pages > 0; pages /= 2) {
        memory::NodeUse const use = memory::use(node);
        std::size_t const bytes = pages * page_bytes;
        if (use.total - use.used < bytes) continue; // asking for it would be a WARN, and memory of another node
        auto const block = memory::allocate(bytes, page_bytes, node);
        if (!block) continue;
        PagedMemory memory(block.value(), page_bytes);
        if (block.value().node != node) continue;
        memory.view_ = MXK_TRY(arch::PageView::create({block.value().address, bytes}, page_bytes));
        return memory;
    }
    return Error::of("node {} has no {} of free memory in one piece, aligned to it", node,
                     byte_text(page_bytes).view());
}

} // namespace mxk::bench
