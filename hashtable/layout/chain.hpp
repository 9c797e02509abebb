// One chain of a table with chaining (thesis section 3.1): nodes behind each other. What can be done with it, given the
// link to its first node; a table is an array of such links (chained.hpp, shared_chains.hpp, chain_heads.hpp). The
// thesis' chains end in a sentinel that all chains of all tables share.
//
//     first link -> 9 -> 6 -> end        a key stands up to once; an empty chain is a link to the end
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

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
    template <typename Node> static Node* read(Node* const& link) { return link; }
    template <typename Node> static void write(Node*& link, Node* node) { link = node; }
};

// Where several do so at once and nothing keeps them apart: what is lost then is lost because operations interleave,
// not because the program has no meaning. The same machine code as above.
struct RacingLinks {
    // acquire: a reader that comes to a node sees the key that was written before write() led here
    static ChainNode* read(ChainNode* const& link) {
        return std::atomic_ref(const_cast<ChainNode*&>(link)).load(std::memory_order_acquire);
    }
    // release: pairs with read()
    static void write(ChainNode*& link, ChainNode* node) {
        std::atomic_ref(link).store(node, std::memory_order_release);
    }
};

// How chains end. With the sentinel, whose key is none: a search reads the node's key anyway.
struct SentinelEnd {
    // Links lead to mutable nodes; the end is never written through them: only nodes with a key are.
    static ChainNode* end() { return const_cast<ChainNode*>(&chain_end); }
    static bool is_end(ChainNode const* node) { return node->key == 0; }
};
// With no node: for keys of any type, and for cells that hold 0 to begin with.
struct NullEnd {
    static std::nullptr_t end() { return nullptr; }
    static bool is_end(void const* node) { return node == nullptr; }
};

// Functions for chains of such nodes: each has a key, and a link to a node of a type that it is, or is derived from.
// None allocates, none blocks.
template <typename Node, typename Links = PlainLinks, typename End = SentinelEnd> struct Chain {
    using Key = decltype(Node::key);
    using Link = decltype(Node::next);
    using KeyArgument = std::conditional_t<std::is_scalar_v<Key>, Key, Key const&>;

    static Link end() { return End::end(); }

    // The key's node, or null. The sentinel's key 0 is never found.
    static Node* search(Link const& first, KeyArgument key) {
        for (Link node = Links::read(first); !End::is_end(node); node = Links::read(node->next)) {
            if (node->key == key) return static_cast<Node*>(node);
        }
        return nullptr;
    }
    static bool contains(Link const& first, KeyArgument key) { return search(first, key) != nullptr; }

    // A key that is not there.
    static void push(Link& first, Node& node) {
        node.next = Links::read(first);
        Links::write(first, Link(&node));
    }
    // False if the key is there already; the node then is as it was. Panics on key 0: the key is in a register anyway,
    // and a chain cut short by it would lose keys silently.
    static bool insert(Link& first, Node& node) {
        expect(!(node.key == Key{}), "key 0 is the end of a chain");
        if (contains(first, node.key)) return false;
        push(first, node);
        return true;
    }
    // The key's node: this one, which is pushed, or the one that has the key already. Panics on key 0, as insert().
    static Node& upsert(Link& first, Node& node) {
        expect(!(node.key == Key{}), "key 0 is the end of a chain");
        if (Node* const there = search(first, node.key); there != nullptr) return *there;
        push(first, node);
        return node;
    }

    // Takes the node that this link leads to out of its chain, and gives it.
    static Node* unlink(Link& link, Link node) {
        Links::write(link, Links::read(node->next));
        return static_cast<Node*>(node);
    }
    // Unlinks the key's node and gives it, or null.
    static Node* erase(Link& first, KeyArgument key) {
        Link* link = &first;
        for (Link node = Links::read(*link); !End::is_end(node); node = Links::read(*link)) {
            if (node->key == key) return unlink(*link, node);
            link = &node->next;
        }
        return nullptr;
    }

    // visit(node const&) for each.
    template <typename Visit> static void for_each(Link const& first, Visit visit) {
        for (Link node = Links::read(first); !End::is_end(node); node = Links::read(node->next))
            visit(static_cast<Node const&>(*node));
    }
};

} // namespace mxk
