// A hash table with chaining (thesis section 3.1): buckets point to the first node of a chain that ends in a sentinel.
// It allocates nothing: buckets and nodes are the caller's, nodes are handed in ready. For one core at a time: no
// locks, no atomics, nothing about tasks; any number may read while nobody writes. Placement says which bucket a key
// has.
//
//     buckets   | * | * | * |        a key stands in at most one node of the chain of its bucket;
//                 |   |   '-> end    an empty bucket points straight to the end
//                 |   '-> 7 -> end
//                 '-> 9 -> 6 -> end
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

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

// Placement: callable with a key, gives its index in the buckets. Every function: the owning core, never blocks.
template <typename Placement> class Chained {
  public:
    using Node = ChainNode;
    using Bucket = Node*;

    // Writes every bucket. The buckets must outlive the table; their nodes are never freed by it.
    Chained(std::span<Bucket> buckets, Placement placement)
        : buckets_(buckets.data())
        , placement_(placement) {
        bucket_count_ = buckets.size();
        std::fill(buckets.begin(), buckets.end(), end());
    }
    Chained(Chained const&) = delete; // two tables over the same buckets would disagree about the size
    Chained& operator=(Chained const&) = delete;

    // False if the key is there already; the node then stays the caller's. Panics on key 0: the key is in a register
    // anyway, and a chain cut short by it would lose keys silently.
    bool insert(Node& node) {
        expect(node.key != 0, "key 0 is the end of a chain");
        Bucket& bucket = bucket_of(node.key);
        if (contains(bucket, node.key)) return false;
        node.next = bucket;
        bucket = &node;
        ++size_;
        return true;
    }

    // Key 0 is never found.
    [[nodiscard]] bool find(std::uint64_t key) const { return contains(bucket_of(key), key); }

    // Unlinks the key's node, which is the caller's again. False if there was none.
    bool erase(std::uint64_t key) {
        for (Bucket* link = &bucket_of(key); (*link)->key != 0; link = &(*link)->next) {
            if ((*link)->key != key) continue;
            *link = (*link)->next;
            --size_;
            return true;
        }
        return false;
    }

    // Asks for the bucket's cache line; the nodes behind it cannot be known without waiting for it.
    void prefetch(std::uint64_t key) const { __builtin_prefetch(&bucket_of(key)); }

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::size_t bucket_count() const { return bucket_count_; }

    // visit(bucket index, node const&) for every node, bucket by bucket: for verification.
    template <typename Visit> void for_each(Visit visit) const {
        for (std::size_t bucket = 0; bucket < bucket_count_; ++bucket) {
            for (Node const* node = buckets_[bucket]; node->key != 0; node = node->next) visit(bucket, *node);
        }
    }

  private:
    // Chains are linked through pointers to mutable nodes; the end is never written through them: only nodes with a key
    // and buckets are.
    static Node* end() { return const_cast<Node*>(&chain_end); }

    static bool contains(Node const* node, std::uint64_t key) {
        for (; node->key != 0; node = node->next) {
            if (node->key == key) return true;
        }
        return false;
    }

    Bucket& bucket_of(std::uint64_t key) const { return buckets_[placement_(key)]; }

    Bucket* buckets_;
    std::size_t bucket_count_ = 0;
    Placement placement_;
    std::size_t size_ = 0;
};

} // namespace mxk
