// Memory for the rings of one mailbox. A ring is little more than half a frame, and a node gives whole frames: so rings
// come several to a block, and blocks double up to 32 KiB, of which 15 rings are all but half a percent. The first
// block is one frame with one ring, for the machine of two cores.
#pragma once

#include <cstddef>

#include "base/result.hpp"
#include "base/spin_lock.hpp"
#include "kernel/memory/node_vector.hpp"
#include "tasks/mail_ring.hpp"

namespace mxk {

class MailRings {
  public:
    // What is needed from the start: the list of blocks.
    class Memory {
      public:
        // For up to `rings`, on `node`. Errors: no memory.
        static Result<Memory> create(std::size_t rings, NodeId node);

      private:
        friend MailRings;
        NodeVector<NodeArray<MailRing>> blocks;
    };

    MailRings(Memory memory, NodeId node)
        : node_(node)
        , blocks_(std::move(memory.blocks)) {}
    MailRings(MailRings const&) = delete;
    MailRings& operator=(MailRings const&) = delete;

    // A new ring, which lives as long as this; null if there is no memory for it, or there are as many as there may be.
    // Any core; blocks for a lock, and that of the node's memory.
    MailRing* open();

  private:
    static constexpr std::size_t frame_bytes = FrameAllocator::frame_bytes;
    static constexpr std::size_t largest_block_bytes = 32 * KiB;
    // How many rings there are in a block.
    static constexpr std::size_t rings_in(std::size_t block) {
        std::size_t const bytes = block < 3 ? frame_bytes << block : largest_block_bytes;
        return bytes / sizeof(MailRing);
    }

    SpinLock lock_{lock_bands::objects.rank(10)}; // all below
    NodeId node_;
    NodeVector<NodeArray<MailRing>> blocks_;
    std::size_t left_in_block_ = 0;
};

} // namespace mxk
