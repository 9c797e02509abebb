// The buckets of a table with chaining (thesis section 3.1) inside one block, for an Extendible table. Nodes are the
// caller's, handed in ready, so that no operation waits for an allocator; what grows is the number of buckets. A node
// stays where it is and keeps its key; only its link changes when its block is split.
//
//     struct Node { Key key; Node* next; ... };       next is the table's, from insert until erase
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/prefetch.hpp"
#include "base/units.hpp"
#include "hashtable/fraction.hpp"
#include "hashtable/layout/block.hpp"
#include "hashtable/layout/chain.hpp"
#include "hashtable/layout/position.hpp"

namespace mxk {

template <typename NodeType = ChainNode> class ChainHeads {
  public:
    using Node = NodeType;
    using Key = decltype(NodeType::key);
    using Item = Node*;
    struct Cell {
        Node* first = nullptr;
    };
    using Position = mxk::Position<Cell>; // a bucket
    struct Shared {
        explicit Shared(NodeId) {}
    };
    // Each node is a cache miss of its own when a block is split; so many take some microseconds.
    static constexpr std::size_t block_bytes = 4 * 1024;
    static constexpr std::size_t keys_per_cell = 1;
    static constexpr double default_load = 2;

    static Position position(Block& block, std::uint64_t hash, std::uint64_t) {
        return {{}, &block, block.cells<Cell>() + high_product(hash << 32, block.cell_count())};
    }

    static BlockInsert insert(Position const& at, Key const& key, Node* node) {
        if (at.block->room <= 0) [[unlikely]]
            return BlockInsert::NoPlace;
        if (find(at, key) != nullptr) [[unlikely]]
            return BlockInsert::Present;
        push(at, *node);
        return BlockInsert::Inserted;
    }
    // There is always a place.
    template <typename PositionOf>
    static BlockInsert insert_far(Position const& at, Key const& key, Node* node, std::int32_t, Shared&, PositionOf) {
        if (find(at, key) != nullptr) return BlockInsert::Present;
        push(at, *node);
        return BlockInsert::Inserted;
    }

    // The key's node, or null.
    static Node* find(Position const& at, Key const& key) { return NodeChain::search(at.cell->first, key); }

    // The node is the caller's again.
    static bool erase(Position const& at, Key const& key, Shared&) {
        if (NodeChain::erase(at.cell->first, key) == nullptr) return false;
        ++at.block->room;
        return true;
    }

    template <typename PositionOf> static bool put(Position const& at, Key const&, Node* node, Shared&, PositionOf) {
        push(at, *node);
        return true;
    }

    static void prefetch(Position const& at) { prefetch_far(at.cell); }

    // visit(key, node) for every node, which may change its link. One node of each chain after the other, so that the
    // next ones of all chains are on their way meanwhile.
    template <typename Visit> static void for_each(Block const& block, Visit visit) {
        std::array<Node*, Block::max_cells> next;
        std::size_t count = 0;
        for (std::size_t at = 0; at < block.cell_count(); ++at) {
            Node* const first = block.cells<Cell>()[at].first;
            if (first == nullptr) continue;
            prefetch_far(first);
            next[count++] = first;
        }
        while (count != 0) {
            std::size_t left = 0;
            for (std::size_t at = 0; at < count; ++at) {
                Node* const node = next[at];
                Node* const behind = node->next;
                visit(node->key, node);
                if (behind == nullptr) continue;
                prefetch_far(behind);
                next[left++] = behind;
            }
            count = left;
        }
    }

    // The nodes are the caller's.
    static void release(Block&, Shared&) {}

  private:
    using NodeChain = Chain<Node, PlainLinks, NullEnd>;

    static void push(Position const& at, Node& node) {
        NodeChain::push(at.cell->first, node);
        --at.block->room;
    }
};

} // namespace mxk
