// The memory of a table's bulk calls while none uses it: as many pieces as there ever were calls at once.
#pragma once

#include <cstddef>

#include "base/lock_rank.hpp"
#include "base/spin_lock.hpp"
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
        while (BulkScratch* const scratch = free_) {
            free_ = scratch->next_free;
            memory::Block const place = scratch->place;
            scratch->~BulkScratch();
            memory::free(place);
        }
    }

    // Null without memory. Blocks for the allocator's lock.
    BulkScratch* take() {
        lock_.lock();
        BulkScratch* const scratch = free_;
        if (scratch != nullptr) free_ = scratch->next_free;
        lock_.unlock();
        return scratch != nullptr ? scratch : BulkScratch::create(regions_, node_);
    }
    void give_back(BulkScratch& scratch) {
        lock_.lock();
        scratch.next_free = free_;
        free_ = &scratch;
        lock_.unlock();
    }

  private:
    SpinLock lock_{lock_bands::objects.rank(9)};
    BulkScratch* free_ = nullptr; // linked by next_free
    std::size_t regions_;
    NodeId node_;
};

} // namespace mxk
