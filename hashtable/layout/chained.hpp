// A hash table with chaining (thesis section 3.1): buckets point to the first node of a chain that ends in a sentinel.
// It allocates nothing: buckets and nodes are the caller's, nodes are handed in ready. For one core at a time: no
// locks, no atomics, nothing about tasks; any number may read while nobody writes. Placement says which bucket a key
// has.
//
//     buckets   | * | * | * |        a key stands in up to one node of the chain of its bucket;
//                 |   |   '-> end    an empty bucket points straight to the end
//                 |   '-> 7 -> end
//                 '-> 9 -> 6 -> end
//
// A key alone is a set. For a map, the nodes carry more:
//
//     struct Pair : ChainNode { std::uint64_t value; };
//     Chained<Modulo, Pair> table(buckets, Modulo(buckets.size()));
//     if (Pair* pair = table.lookup(key)) pair->value = value;    // update; ++pair->value: modify
//     table.upsert(pair).value = value;
//
// A long chain is a cache miss for each node, one after the other. Where many operations are in hand, walks
// (chain_walk.hpp) do them node by node, so that their misses overlap.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/panic.hpp"
#include "base/prefetch.hpp"
#include "hashtable/layout/chain.hpp"

namespace mxk {

template <typename Table> class ChainWalk;

// Placement: callable with a key, gives its index in the buckets. NodeType: what every node of this table is. Every
// function: the owning core, never blocks. None may meet a bucket that a walk holds, whose chain is not in it: panics.
template <typename Placement, std::derived_from<ChainNode> NodeType = ChainNode> class Chained {
  public:
    using Node = NodeType;
    using Bucket = ChainNode*;

    // Writes every bucket. The buckets must outlive the table; their nodes are never freed by it.
    Chained(std::span<Bucket> buckets, Placement placement)
        : buckets_(buckets.data())
        , placement_(placement) {
        bucket_count_ = buckets.size();
        std::fill(buckets.begin(), buckets.end(), end());
    }
    Chained(Chained const&) = delete; // two tables over the same buckets would disagree about the size
    Chained& operator=(Chained const&) = delete;

    // False if the key is there already; the node then stays the caller's. Panics on key 0.
    bool insert(Node& node) {
        if (!NodeChain::insert(free_bucket_of(node.key), node)) return false;
        ++size_;
        return true;
    }

    // Key 0 is never found.
    [[nodiscard]] bool find(std::uint64_t key) const { return NodeChain::contains(free_bucket_of(key), key); }

    // The key's node, or null. Its owner may change all of it but the key and the link.
    [[nodiscard]] Node* lookup(std::uint64_t key) { return NodeChain::search(free_bucket_of(key), key); }
    [[nodiscard]] Node const* lookup(std::uint64_t key) const { return NodeChain::search(free_bucket_of(key), key); }

    // The key's node: this one, which is in the table then, or the one that was there; this one then stays the
    // caller's. What it carries is the owner's to write. Panics on key 0.
    Node& upsert(Node& node) {
        Node& its = NodeChain::upsert(free_bucket_of(node.key), node);
        if (&its == &node) ++size_;
        return its;
    }

    // Unlinks the key's node, which is the caller's again. False if there was none.
    bool erase(std::uint64_t key) {
        if (NodeChain::erase(free_bucket_of(key), key) == nullptr) return false;
        --size_;
        return true;
    }

    // Asks for the bucket's cache line; the nodes behind it cannot be known without waiting for it.
    void prefetch(std::uint64_t key) const { prefetch_far(address(key)); }
    // Where the bucket is: for those who have somebody else ask for it.
    [[nodiscard]] void const* address(std::uint64_t key) const { return static_cast<void const*>(&bucket_of(key)); }

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::size_t bucket_count() const { return bucket_count_; }

    // visit(bucket index, node const&) for every node, bucket by bucket: for verification.
    template <typename Visit> void for_each(Visit visit) const {
        for (std::size_t bucket = 0; bucket < bucket_count_; ++bucket) {
            NodeChain::for_each(chain_in(buckets_[bucket]), [&](Node const& node) { visit(bucket, node); });
        }
    }

  private:
    friend class ChainWalk<Chained>;

    using NodeChain = Chain<Node>;
    static ChainNode* end() { return NodeChain::end(); }

    Bucket& bucket_of(std::uint64_t key) const { return buckets_[placement_(key)]; }

    // Odd: a walk has taken the chain out (chain_walk.hpp says what is there instead).
    static bool is_held(Bucket bucket) { return (reinterpret_cast<std::uintptr_t>(bucket) & 1) != 0; }

    static Bucket& chain_in(Bucket& bucket) {
        expect(!is_held(bucket), "a walk is under way in this bucket");
        return bucket;
    }
    Bucket& free_bucket_of(std::uint64_t key) const { return chain_in(bucket_of(key)); }

    Bucket* buckets_;
    std::size_t bucket_count_ = 0;
    Placement placement_;
    std::size_t size_ = 0;
};

} // namespace mxk
