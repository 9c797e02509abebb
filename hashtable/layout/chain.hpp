// One chain of a table with chaining (thesis section 3.1): nodes behind each other, up to a sentinel that ends all
// chains of all tables. What can be done with it, given the link to its first node; a table is an array of such links
// (chained.hpp, shared_chains.hpp).
//
//     first link -> 9 -> 6 -> end        a key stands up to once; an empty chain is a link to the end
#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>

#include "base/panic.hpp"

namespace mxk {

struct ChainNode {
    std::uint64_t key; // > 0: 0 is the end of a chain
    ChainNode* next;   // the table's, from insert until erase
};
static_assert(sizeof(ChainNode) == 16);

// The end of every chain of every table. Constant, hence in read-only memory: all cores share its line for good, and a
// write to it by mistake faults.
inline constexpr ChainNode chain_end{0, nullptr};

// How links are read and written where one at a time works on a chain.
struct PlainLinks {
    static ChainNode* read(ChainNode* const& link) { return link; }
    static void write(ChainNode*& link, ChainNode* node) { link = node; }
};

// Where several do so at once and nothing keeps them apart: what is lost then is lost because operations run through
// each other, not because the program has no meaning. The same machine code as above.
struct RacingLinks {
    // acquire: whoever comes to a node sees the key that was written before write() led here
    static ChainNode* read(ChainNode* const& link) {
        return std::atomic_ref(const_cast<ChainNode*&>(link)).load(std::memory_order_acquire);
    }
    // release: pairs with read()
    static void write(ChainNode*& link, ChainNode* node) {
        std::atomic_ref(link).store(node, std::memory_order_release);
    }
};

// Functions for chains of such nodes. None allocates, none blocks.
template <std::derived_from<ChainNode> Node, typename Links = PlainLinks> struct Chain {
    // Links lead to mutable nodes; the end is never written through them: only nodes with a key are.
    static ChainNode* end() { return const_cast<ChainNode*>(&chain_end); }

    // The key's node, or null. Key 0 is the end's, which is no node.
    static Node* search(ChainNode* const& first, std::uint64_t key) {
        for (ChainNode* node = Links::read(first); node->key != 0; node = Links::read(node->next)) {
            if (node->key == key) return static_cast<Node*>(node);
        }
        return nullptr;
    }
    static bool contains(ChainNode* const& first, std::uint64_t key) { return search(first, key) != nullptr; }

    // False if the key is there already; the node then is as it was. Panics on key 0: the key is in a register anyway,
    // and a chain cut short by it would lose keys silently.
    static bool insert(ChainNode*& first, Node& node) {
        expect(node.key != 0, "key 0 is the end of a chain");
        if (contains(first, node.key)) return false;
        node.next = Links::read(first);
        Links::write(first, &node);
        return true;
    }

    // Unlinks the key's node and gives it, or null.
    static Node* erase(ChainNode*& first, std::uint64_t key) {
        ChainNode** link = &first;
        for (ChainNode* node = Links::read(*link); node->key != 0; node = Links::read(*link)) {
            if (node->key == key) {
                Links::write(*link, Links::read(node->next));
                return static_cast<Node*>(node);
            }
            link = &node->next;
        }
        return nullptr;
    }

    // visit(node const&) for each.
    template <typename Visit> static void for_each(ChainNode* const& first, Visit visit) {
        for (ChainNode const* node = Links::read(first); node->key != 0; node = Links::read(node->next))
            visit(static_cast<Node const&>(*node));
    }
};

} // namespace mxk
