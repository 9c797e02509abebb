// Memory for the cells of one table's blocks: whole frames from the node of the table's owner, whose first cache line
// keeps what giving them back wants to know. For one core at a time.
//
//     | where this memory comes from | cell | cell | ...
#pragma once

#include <cstddef>
#include <utility>

#include "base/units.hpp"
#include "kernel/memory/memory.hpp"

namespace mxk {

class BlockMemory {
  public:
    // In front of the cells.
    static constexpr std::size_t header_bytes = cache_line_bytes;

    explicit BlockMemory(NodeId node)
        : node_(node) {}
    BlockMemory(BlockMemory&& other) noexcept
        : node_(other.node_)
        , bytes_(other.bytes_)
        , spare_(std::exchange(other.spare_, nullptr))
        , spare_bytes_(other.spare_bytes_) {}
    BlockMemory& operator=(BlockMemory&&) = delete;
    ~BlockMemory(); // of the spare cells only

    [[nodiscard]] NodeId node() const { return node_; }
    // Where memory is taken from now on.
    void set_node(NodeId node) { node_ = node; }

    // Room for cells of so many bytes, which hold anything, on the node or near it; null if there is no memory. May
    // block for the allocator's lock.
    [[nodiscard]] void* take(std::size_t bytes);
    // The same, but not what was given back last, which may lie on another node.
    [[nodiscard]] void* take_fresh(std::size_t bytes);
    // `bytes`: as they were taken. Those that came last are kept: they are likely still in the cache.
    void give_back(void* cells, std::size_t bytes);
    // To the allocator at once.
    void free(void* cells);
    // Whether cells lie where the table wants its memory.
    [[nodiscard]] bool is_local(void const* cells) const;

    // All that was taken and not given back, rounded up to frames.
    [[nodiscard]] std::size_t bytes() const { return bytes_; }

  private:
    NodeId node_;
    std::size_t bytes_ = 0;
    void* spare_ = nullptr; // not counted
    std::size_t spare_bytes_ = 0;
};

} // namespace mxk
