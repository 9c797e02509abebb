// Memory for the rings of one mailbox. A ring is little more than half a frame, and a node gives whole frames: so rings
// come several to a block, and blocks double up to 32 KiB, of which 15 rings are all but half a percent. The first
// block is one frame with one ring, for the machine of two cores.
//
// Of hundreds of cores that begin at once all open a ring at each other one, so places are given by a counter: a lock's
// holder would have other cores' lines to fetch while all others queue for it. Who gets a block's first place brings
// its memory, and those of its other places wait for that.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/result.hpp"
#include "kernel/memory/node_vector.hpp"
#include "tasks/mail_ring.hpp"

namespace mxk {

class MailRings {
    enum class Presence : std::uint8_t { Coming, There, Missing };
    struct alignas(cache_line_bytes) Block {
        std::atomic<Presence> presence{Presence::Coming}; // publishes rings
        NodeArray<MailRing> rings;
    };

  public:
    // What is needed from the start: the list of blocks.
    class Memory {
      public:
        // For up to `rings`, on `node`. Errors: no memory.
        static Result<Memory> create(std::size_t rings, NodeId node);

      private:
        friend MailRings;
        NodeVector<Block> blocks;
    };

    MailRings(Memory memory, NodeId node)
        : node_(node)
        , blocks_(std::move(memory.blocks)) {}
    MailRings(MailRings const&) = delete;
    MailRings& operator=(MailRings const&) = delete;

    // A new ring, which lives as long as this; null if there is no memory for it, or there are as many as there may be.
    // Any core; waits for who brings the memory of a block, and blocks for the lock of the node's memory.
    MailRing* open();

  private:
    static constexpr std::size_t frame_bytes = FrameAllocator::frame_bytes;
    static constexpr std::size_t largest_block_bytes = 32 * KiB;
    // How many rings there are in a block.
    static constexpr std::size_t rings_in(std::size_t block) {
        std::size_t const bytes = block < 3 ? frame_bytes << block : largest_block_bytes;
        return bytes / sizeof(MailRing);
    }

    static void bring(Block& block, std::size_t rings, NodeId node);
    MailRing* open_at(std::size_t place);

    NodeId node_;
    NodeVector<Block> blocks_;
    alignas(cache_line_bytes) std::atomic<std::size_t> given_{0}; // places; relaxed: who brings a block publishes it
};

} // namespace mxk
