// The superblocks of one node, for the heaps of its cores: the only part of a heap that cores share, and seldom asked.
// What is given back stays here, so that who takes it next finds pages that were touched; but from three quarters of
// the node's memory on, which the heaps have together, it goes back to the frame allocator, so that a quarter stays
// free for others (Falt 2010, 8.3). All that is kept goes, too, before an allocation of frames fails.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/arena.hpp"
#include "base/spin_lock.hpp"
#include "base/units.hpp"
#include "kernel/memory/heap/superblock.hpp"

namespace mxk::heap {

// A moment's values.
struct PoolUse {
    std::size_t superblocks = 0; // that the node's cores, and the pool, have
    std::size_t kept = 0;        // of these: nobody uses them
    std::size_t kept_bytes = 0;
    std::size_t large_bytes = 0; // of objects that are mapped directly
    std::uint64_t calls = 0;     // superblocks asked for and given back
    std::uint64_t returns = 0;   // of these: given back to the frame allocator
};

// Every function: any core, blocks only for the pool's lock and the node's, never from an interrupt handler.
class alignas(cache_line_bytes) SuperblockPool {
  public:
    explicit SuperblockPool(NodeId node)
        : node_(node) {}
    SuperblockPool(SuperblockPool const&) = delete;
    SuperblockPool& operator=(SuperblockPool const&) = delete;

    // Of this node, or of one that helps it out; null if no node has the memory. Not cut up yet.
    [[nodiscard]] Superblock* take();
    // One that take() gave, to the pool of the node where it lies.
    void give_back(Superblock& superblock);

    // Gives the frame allocator `bytes`, or more, of what is kept here, or all: how many. None if the node had too
    // little with all of it.
    std::size_t release(std::size_t bytes);

    // Objects that are mapped directly count for the share of the node that the heaps have.
    void count_large(std::size_t bytes) { large_bytes_.fetch_add(bytes, std::memory_order_relaxed); }
    void uncount_large(std::size_t bytes) { large_bytes_.fetch_sub(bytes, std::memory_order_relaxed); }

    [[nodiscard]] PoolUse use() const;
    [[nodiscard]] NodeId node() const { return node_; }

    // What heaps may have of a node before they give back what they do not use.
    static constexpr std::size_t max_percent = 75;

  private:
    [[nodiscard]] Superblock* describe();
    [[nodiscard]] Superblock* describe_in_room();
    [[nodiscard]] bool add_room(memory::Block const& block);
    void forget(Superblock& superblock);
    void release_memory(Superblock& superblock);
    [[nodiscard]] bool has_too_much() const;

    mutable SpinLock lock_{lock_bands::memory.rank(12)}; // all below but the atomics
    SuperblockList kept_;
    SuperblockList unused_descriptions_;
    std::span<std::byte> room_; // for further descriptions
    std::size_t kept_count_ = 0;
    std::uint64_t calls_ = 0;
    std::uint64_t returns_ = 0;
    std::atomic<std::size_t> superblocks_{0}; // relaxed, as the next: they order nothing
    std::atomic<std::size_t> large_bytes_{0};
    std::atomic<bool> has_room_{false}; // whether there was ever any room
    NodeId node_;
};

// One for each node. Boot core, with the memory's own configuration (memory::configure()).
void configure_pools(std::size_t nodes, Arena& arena);
// Of a node that exists. Any core.
SuperblockPool& pool_of(NodeId node);

// 10 MiB, as Falt's, which are five large pages; less where that were more than a thousandth of the smallest node. Any
// core.
std::size_t superblock_bytes();

} // namespace mxk::heap
