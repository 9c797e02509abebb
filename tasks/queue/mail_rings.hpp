// Memory for the rings of one mailbox. A ring is little more than half a frame, and a node gives whole frames: so rings
// come several to a block. The first block is one frame with one ring, for the machine of two cores. Each further one
// is four times as large as the one before, or has the rings that are left: a core that hears from 255 others asks its
// node five times, and one that hears from few has up to four times the memory that it needs.
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
#include "tasks/queue/mail_ring.hpp"

namespace mxk {

class MailRings {
    enum class Presence : std::uint8_t { Coming, There, Missing };
    struct alignas(cache_line_bytes) Block {
        explicit Block(std::size_t its_size)
            : size(its_size) {}
        std::size_t size;                                 // in rings
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
    // How many rings there may be in a block.
    static constexpr std::size_t largest(std::size_t block) { return (frame_bytes << (2 * block)) / sizeof(MailRing); }

    static void bring(Block& block, NodeId node);
    MailRing* open_at(std::size_t place);

    NodeId node_;
    NodeVector<Block> blocks_;
    alignas(cache_line_bytes) std::atomic<std::size_t> given_{0}; // places; relaxed: who brings a block publishes it
};

} // namespace mxk
