// The memory of a table's bulk calls while none uses it: as many pieces as there ever were calls at once.
#pragma once

#include <cstddef>

#include "base/lock_rank.hpp"
#include "base/locked_stack.hpp"
#include "hashtable/bulk/bulk_rounds.hpp"
#include "kernel/memory/node_vector.hpp"

namespace mxk {

// Any thread.
class ScratchPool {
  public:
    ScratchPool(std::size_t regions, NodeId node)
        : regions_(regions)
        , node_(node) {}
    ScratchPool(ScratchPool const&) = delete;
    ScratchPool& operator=(ScratchPool const&) = delete;
    // All are here.
    ~ScratchPool() {
        while (BulkScratch* const scratch = free_.take()) {
            memory::Block const place = scratch->place;
            scratch->~BulkScratch();
            memory::free(place);
        }
    }

    // Null without memory. Blocks for the allocator's lock.
    BulkScratch* take() {
        BulkScratch* const scratch = free_.take();
        return scratch != nullptr ? scratch : BulkScratch::create(regions_, node_);
    }
    void give_back(BulkScratch& scratch) { free_.give(scratch); }

  private:
    LockedStack<BulkScratch, &BulkScratch::next_free> free_{lock_bands::objects.rank(9)};
    std::size_t regions_;
    NodeId node_;
};

} // namespace mxk
