// The buckets of a table with chaining (thesis section 3.1) inside one block, for an Extendible table. Nodes are the
// caller's, handed in ready, so that no operation waits for an allocator; what grows is the number of buckets. A node
// stays where it is and keeps its key; only its link changes when its block becomes two.
//
//     struct Node { Key key; Node* next; ... };       next is the table's, from insert until erase
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/prefetch.hpp"
#include "base/units.hpp"
#include "hashtable/layout/block.hpp"
#include "hashtable/layout/chained.hpp"
#include "hashtable/partition/fraction.hpp"

namespace mxk {

template <typename NodeType = ChainNode> class ChainHeads {
  public:
    using Node = NodeType;
    using Key = decltype(NodeType::key);
    using Item = Node*;
    struct Cell {
        Node* first = nullptr;
    };
    using Home = Cell*;
    struct Shared {
        explicit Shared(NodeId) {}
    };
    // Each node is a cache miss of its own when a block becomes two; so many take some microseconds.
    static constexpr std::size_t block_bytes = 4 * 1024;
    static constexpr std::size_t keys_per_cell = 1;
    static constexpr double usual_load = 2;
    static constexpr bool powers_of_two = false;

    static Home home(Block const& block, HashPlace const& place) {
        return block.cells<Cell>() + high_product(place.hash << 32, block.cell_count());
    }

    static BlockInsert insert(Block& block, Cell* bucket, Key const& key, Node* node) {
        if (block.room <= 0) [[unlikely]]
            return BlockInsert::NoPlace;
        if (find(block, bucket, key) != nullptr) [[unlikely]]
            return BlockInsert::Present;
        push(block, *bucket, *node);
        return BlockInsert::Inserted;
    }
    // There is always a place.
    template <typename HomeOf>
    static BlockInsert insert_far(Block& block, Cell* bucket, Key const& key, Node* node, std::int32_t, Shared&,
                                  HomeOf) {
        if (find(block, bucket, key) != nullptr) return BlockInsert::Present;
        push(block, *bucket, *node);
        return BlockInsert::Inserted;
    }

    // The key's node, or null.
    static Node* find(Block const&, Cell const* bucket, Key const& key) {
        Node* node = bucket->first;
        while (node != nullptr && !(node->key == key)) node = node->next;
        return node;
    }

    // The node is the caller's again.
    static bool erase(Block& block, Cell* bucket, Key const& key, Shared&) {
        for (Node** link = &bucket->first; *link != nullptr; link = &(*link)->next) {
            if (!((*link)->key == key)) continue;
            *link = (*link)->next;
            ++block.room;
            return true;
        }
        return false;
    }

    template <typename HomeOf> static bool put(Block& block, Cell* bucket, Key const&, Node* node, Shared&, HomeOf) {
        push(block, *bucket, *node);
        return true;
    }

    static void prefetch(Block const&, Cell const* bucket) { prefetch_for_read(bucket); }
    static void prefetch_behind(Cell const* bucket) { prefetch_for_read(bucket->first); }

    // visit(key, node) for every node, which may change its link. One node of each chain after the other, so that the
    // next ones of all chains are on their way meanwhile.
    template <typename Visit> static void for_each(Block const& block, HashRange const&, Visit visit) {
        std::array<Node*, Block::most_cells> next;
        std::size_t count = 0;
        for (std::size_t at = 0; at < block.cell_count(); ++at) {
            Node* const first = block.cells<Cell>()[at].first;
            if (first == nullptr) continue;
            prefetch_for_read(first);
            next[count++] = first;
        }
        while (count != 0) {
            std::size_t left = 0;
            for (std::size_t at = 0; at < count; ++at) {
                Node* const node = next[at];
                Node* const behind = node->next;
                visit(node->key, node);
                if (behind == nullptr) continue;
                prefetch_for_read(behind);
                next[left++] = behind;
            }
            count = left;
        }
    }

    // The nodes are the caller's.
    static void release(Block&, Shared&) {}

  private:
    static void push(Block& block, Cell& bucket, Node& node) {
        node.next = bucket.first;
        bucket.first = &node;
        --block.room;
    }
};

} // namespace mxk
