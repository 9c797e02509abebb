// All memory that there is to be had, for tests of what happens without. It needs none itself: each block begins with
// the list that it stands in.
#pragma once

#include <cstddef>
#include <new>

#include "kernel/memory/memory.hpp"
#include "kernel/memory/zones.hpp"

namespace mxk {

class AllMemory {
  public:
    AllMemory() = default;
    AllMemory(AllMemory const&) = delete;
    AllMemory& operator=(AllMemory const&) = delete;
    ~AllMemory() {
        while (newest_ != nullptr) give_back_one();
    }

    // Of all nodes, in blocks of any size, the large ones first. Any core.
    void take() {
        for (std::size_t bytes = FrameAllocator::max_alignment; bytes >= FrameAllocator::frame_bytes; bytes /= 2)
            while (auto const block = memory::allocate(bytes, FrameAllocator::frame_bytes, node_id(0)))
                newest_ = new (static_cast<void*>(block.value().address)) Link{newest_, block.value()};
    }
    // The blocks that were taken last, until it is so much, or all. Any core.
    void give_back(std::size_t bytes) {
        for (std::size_t given = 0; given < bytes && newest_ != nullptr;) given += give_back_one();
    }
    // The same until a block of so many bytes can be had, or of all.
    void give_back_until(std::size_t bytes) {
        while (newest_ != nullptr && memory::largest_free_block(node_id(0)) < bytes) give_back_one();
    }

  private:
    struct Link {
        Link* next;
        memory::Block block;
    };
    std::size_t give_back_one() {
        Link const link = *newest_;
        newest_ = link.next;
        memory::free(link.block);
        return link.block.bytes;
    }

    Link* newest_ = nullptr;
};

} // namespace mxk
