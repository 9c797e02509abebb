// The trees of the Unbalanced Tree Search benchmark (S. Olivier and others, "UTS: An Unbalanced Tree Search Benchmark",
// 2006), of which nobody knows how large a part is before it was visited. A node is a state of 20 bytes: that of the
// root is the SHA-1 (FIPS 180-4) of 16 bytes 0 and the tree's seed, that of a child the SHA-1 of its parent's and its
// number; numbers are of 4 bytes, the highest first. How many children a node has, its last 31 bits say.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/panic.hpp"
#include "tasks/fork/forked.hpp"

namespace mxk::bench {

struct TreeNode {
    std::array<std::uint32_t, 5> state;
    std::uint32_t depth;

    static TreeNode root(std::uint32_t seed);
    [[nodiscard]] TreeNode child(std::uint32_t number) const;
    // Looks drawn at random, of 0 to 2^31 - 1.
    [[nodiscard]] std::uint32_t draw() const { return state[4] & 0x7fff'ffff; }
};

struct TreeCounts {
    std::uint32_t nodes = 0;
    std::uint32_t leaves = 0;
    std::uint32_t max_depth = 0;

    TreeCounts& operator+=(TreeCounts const& other) {
        nodes += other.nodes;
        leaves += other.leaves;
        max_depth = std::max(max_depth, other.max_depth);
        return *this;
    }
    bool operator==(TreeCounts const&) const = default;
};

// T1, geometric of a fixed shape: a node above depth 10 has k children or more with a probability of 0.8^k, 4 on
// average.
struct GeometricTree {
    static constexpr std::uint32_t seed = 19;
    static constexpr std::size_t max_children = 96; // 0.8^97 is less than 2^-31
    static constexpr std::size_t root_children = max_children;
    static constexpr TreeCounts published{.nodes = 4'130'071, .leaves = 3'305'118, .max_depth = 10};

    static std::size_t children(TreeNode const& node);
};
// T3, binomial: a node has 8 children with a probability of 0.124875, else none; the root has 2000. Narrow, and deep.
struct BinomialTree {
    static constexpr std::uint32_t seed = 42;
    static constexpr std::size_t max_children = 8;
    static constexpr std::size_t root_children = 2000;
    static constexpr TreeCounts published{.nodes = 4'112'897, .leaves = 3'599'034, .max_depth = 1572};
    // Nodes that wait at a time, where one after the other is visited, are no more.
    static constexpr std::size_t max_waiting = root_children + max_children * (published.max_depth + 1);

    static std::size_t children(TreeNode const& node) {
        if (node.depth == 0) return root_children;
        constexpr double probability = 0.124875;
        return node.draw() < probability * 0x1p31 ? max_children : 0;
    }
};

// A node's part of the tree, by recursion, with a fork for each child.
template <typename Tree, std::size_t max = Tree::max_children, typename Forks>
TreeCounts search(Forks forks, TreeNode const& node) {
    std::size_t const children = Tree::children(node);
    if (children == 0) return {.nodes = 1, .leaves = 1, .max_depth = node.depth};
    TreeCounts counts = forks.template sum_of_each<max>(children, [&node](auto& its, std::size_t number) {
        return search<Tree>(its, node.child(static_cast<std::uint32_t>(number)));
    });
    ++counts.nodes;
    return counts;
}
template <typename Tree, typename Forks> TreeCounts search(Forks forks) {
    return search<Tree, Tree::root_children>(forks, TreeNode::root(Tree::seed));
}

// The same by coroutines, for trees that are too deep for calls.
template <typename Tree> Forked<TreeCounts> search_node(TreeNode node);
// Of a node's children those from `begin` to `end`.
template <typename Tree> Forked<TreeCounts> search_children(TreeNode const& node, std::size_t begin, std::size_t end) {
    std::array<TreeCounts, Tree::max_children> counts;
    std::size_t const parts = std::min(end - begin, counts.size());
    auto const start_of = [&](std::size_t part) { return begin + (end - begin) * part / parts; };
    for (std::size_t part = 0; part < parts; ++part) {
        if (end - begin == parts)
            co_await fork(counts[part], search_node<Tree>(node.child(static_cast<std::uint32_t>(begin + part))));
        else
            co_await fork(counts[part], search_children<Tree>(node, start_of(part), start_of(part + 1)));
    }
    co_await join();
    TreeCounts sum;
    for (TreeCounts const& its : std::span(counts).first(parts)) sum += its;
    co_return sum;
}
template <typename Tree> Forked<TreeCounts> search_node(TreeNode node) {
    std::size_t const children = Tree::children(node);
    if (children == 0) co_return TreeCounts{.nodes = 1, .leaves = 1, .max_depth = node.depth};
    TreeCounts counts = co_await search_children<Tree>(node, 0, children);
    ++counts.nodes;
    co_return counts;
}

// The whole tree without recursion: `waiting` is room for the nodes that are known and were not visited.
template <typename Tree> TreeCounts search_by_list(std::span<TreeNode> waiting) {
    TreeCounts counts;
    std::size_t size = 0;
    waiting[size++] = TreeNode::root(Tree::seed);
    while (size != 0) {
        TreeNode const node = waiting[--size];
        std::size_t const children = Tree::children(node);
        counts += {.nodes = 1, .leaves = children == 0 ? 1U : 0U, .max_depth = node.depth};
        expect(size + children <= waiting.size(), "the list has room for all nodes that wait");
        for (std::size_t i = 0; i < children; ++i) waiting[size++] = node.child(static_cast<std::uint32_t>(i));
    }
    return counts;
}

} // namespace mxk::bench
