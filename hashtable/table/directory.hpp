// The directory of extendible hashing: says which block a hash belongs to. It has 2^(global depth) entries for each
// block that the table began with; a block with a smaller local depth stands in several entries, one behind the other.
//
//     directory    | 000 | 001 | 010 | 011 | 100 | 101 | 110 | 111 |      global depth 3
//                     |     |     '--.--'    '-----.-----.-----'
//     blocks          A     B        C             D                      local depths 3, 3, 2, 1
//
// Which block it is can be read in any of a block's entries. Its counts (Block::room) are kept in the first one only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/result.hpp"
#include "base/units.hpp"
#include "hashtable/fraction.hpp"
#include "hashtable/layout/block.hpp"
#include "kernel/memory/node_array.hpp"

namespace mxk {

// Which entry hashes belong to. A value of its own, so that a loop that writes to memory can keep it in registers.
struct DirectoryIndex {
    unsigned prefix_bits; // leading bits that all hashes of the table have in common
    std::size_t entries;

    [[nodiscard]] std::size_t entry(std::uint64_t hash) const { return high_product(hash << prefix_bits, entries); }
    // Where a hash lies in the share of a block that stands in 2^depth_gap entries, as a fraction of that share. What
    // is behind the entry, and in front of it the bits of the entry that the block does not tell apart.
    [[nodiscard]] std::uint64_t fraction(std::uint64_t hash, unsigned depth_gap) const {
        std::uint64_t const rest = (hash << prefix_bits) * entries;
        return rest >> depth_gap | std::uint64_t{entry(hash)} << 1 << (63 - depth_gap);
    }
};

// For one core at a time.
class Directory {
  public:
    // `prefix_bits`: that the hashes of the table's keys have in common.
    explicit Directory(unsigned prefix_bits)
        : index_{prefix_bits, 0} {}
    Directory(Directory&& other) noexcept
        : index_{other.index_.prefix_bits, std::exchange(other.index_.entries, 0)}
        , blocks_(std::move(other.blocks_))
        , first_entries_(other.first_entries_)
        , global_depth_(other.global_depth_) {}
    Directory& operator=(Directory&&) = delete;

    // Memory for the blocks that the table begins with, and no entry yet. Errors: no memory.
    Result<void> reserve(std::size_t blocks, NodeId node);
    // The next of these.
    void add(Block const& block) { blocks_[index_.entries++] = block; }

    [[nodiscard]] DirectoryIndex const& index() const { return index_; }
    [[nodiscard]] std::size_t entries() const { return index_.entries; }
    [[nodiscard]] Block& operator[](std::size_t entry) const { return blocks_.data()[entry]; }
    [[nodiscard]] std::size_t entry_of(Block const& block) const {
        return static_cast<std::size_t>(&block - blocks_.data());
    }
    // Of the block that stands in this entry.
    [[nodiscard]] std::size_t first_entry(std::size_t entry) const {
        unsigned const gap = blocks_[entry].depth_gap();
        return entry >> gap << gap;
    }
    // How many leading bits more than the first blocks had tell the blocks of the directory, or this one, from others.
    [[nodiscard]] unsigned global_depth() const { return global_depth_; }
    [[nodiscard]] unsigned local_depth(std::size_t entry) const { return global_depth_ - blocks_[entry].depth_gap(); }

    // The block in 2^depth_gap entries from this one on.
    void put(std::size_t entry, Block const& block, unsigned depth_gap);
    // Each entry twice. False if there is no memory, or if there are more than `max_entries`.
    bool double_entries(NodeId node, std::size_t max_entries);
    // Of first blocks, each of which may have been split.
    [[nodiscard]] std::size_t first_entries() const { return first_entries_; }

    // The first entries of the two blocks that come from the split of one: this one, and its other half if that is
    // still whole. Nothing for a block that the table began with.
    struct Buddies {
        std::size_t left;
        std::size_t right;
    };
    [[nodiscard]] std::optional<Buddies> buddies(std::size_t entry) const;

    // visit(the first entry of a block), for every block.
    template <typename Visit> void for_each_block(Visit visit) const {
        for (std::size_t at = 0; at < entries(); at += std::size_t{1} << blocks_[at].depth_gap()) visit(at);
    }

  private:
    DirectoryIndex index_; // entries: first_entries_ * 2^global_depth_
    NodeArray<Block> blocks_;
    std::size_t first_entries_ = 0;
    unsigned global_depth_ = 0;
};

} // namespace mxk
