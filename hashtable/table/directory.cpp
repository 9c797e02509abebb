#include "hashtable/table/directory.hpp"

#include <algorithm>
#include <span>

namespace mxk {

Result<void> Directory::reserve(std::size_t blocks, NodeId node) {
    blocks_ = MXK_TRY(NodeArray<Block>::create(blocks, node));
    first_entries_ = blocks;
    return {};
}

void Directory::put(std::size_t entry, Block const& block, unsigned depth_gap) {
    std::span const all(&blocks_[entry], std::size_t{1} << depth_gap);
    std::fill(all.begin(), all.end(), block);
    for (Block& each : all) each.set_depth_gap(depth_gap);
}

bool Directory::double_entries(NodeId node, std::size_t max_entries) {
    if (entries() > max_entries) return false;
    auto doubled = NodeArray<Block>::create(2 * entries(), node);
    if (!doubled) return false;
    for (std::size_t at = 0; at < 2 * entries(); ++at) {
        doubled.value()[at] = blocks_[at / 2];
        doubled.value()[at].set_depth_gap(blocks_[at / 2].depth_gap() + 1);
    }
    blocks_ = std::move(doubled).value();
    index_.entries *= 2;
    ++global_depth_;
    return true;
}

std::optional<Directory::Buddies> Directory::buddies(std::size_t entry) const {
    if (local_depth(entry) == 0) return std::nullopt;
    unsigned const gap = blocks_[entry].depth_gap();
    std::size_t const half = std::size_t{1} << gap;
    Buddies const both{entry & ~half, entry | half};
    bool const are_whole = blocks_[both.left].depth_gap() == gap && blocks_[both.right].depth_gap() == gap;
    return are_whole ? std::optional(both) : std::nullopt;
}

} // namespace mxk
