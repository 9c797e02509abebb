// Memory for one command's work: an arena over it may take as much as there is, and all of it goes back to the nodes
// when the ScratchMemory ends.
//
//     ScratchMemory memory(Worker::current().node());
//     Arena arena(memory);
#pragma once

#include <cstddef>
#include <span>

#include "base/arena.hpp"
#include "base/units.hpp"

namespace mxk::memory {

// One core uses it. Blocks only as memory::allocate() does.
class ScratchMemory final : public ChunkSource {
  public:
    // `node`: where it is wanted.
    explicit ScratchMemory(NodeId node)
        : node_(node) {}
    ~ScratchMemory();
    ScratchMemory(ScratchMemory const&) = delete;
    ScratchMemory& operator=(ScratchMemory const&) = delete;

    std::span<std::byte> take_chunk(std::size_t bytes) override;

  private:
    struct Chunk; // stands at the beginning of each block

    NodeId node_;
    Chunk* last_ = nullptr;
};

} // namespace mxk::memory
