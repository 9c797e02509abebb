// The thesis' table with chaining for threads, with the locks beside the buckets in place of a semaphore in each
// (shared_chains.hpp): what keeps visitors apart is one of table_guards.hpp, for all buckets, and may be something else
// from one operation to the next. It allocates nothing for keys: buckets and nodes are the caller's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/prefetch.hpp"
#include "hashtable/layout/chain.hpp"

namespace mxk {

// Placement: callable with a key, gives its index in the buckets. Every function: any thread, and blocks for the guard,
// unless it says otherwise.
template <typename Placement, typename Guard> class GuardedChains {
    using NodeChain = Chain<ChainNode>;

  public:
    using Node = ChainNode;
    using Bucket = ChainNode*; // the first one

    // Writes every bucket, in memory that outlives the table, as the guard does. The guard may be that of several
    // tables: buckets of one number have a lock in common then.
    GuardedChains(std::span<Bucket> buckets, Placement placement, Guard* guard)
        : buckets_(buckets)
        , placement_(placement)
        , guard_(*guard) {
        for (Bucket& bucket : buckets_) bucket = NodeChain::end();
    }

    // False if the key is there already; the node then stays the caller's. Panics on key 0.
    bool insert(ChainNode& node) {
        return guarded(node.key, [&](Bucket& first) { return NodeChain::insert(first, node); });
    }
    // Key 0 is never found.
    [[nodiscard]] bool find(std::uint64_t key) {
        return guarded(key, [&](Bucket& first) { return NodeChain::contains(first, key); });
    }
    // Unlinks the key's node, which is the caller's then. Null if there was none.
    ChainNode* erase(std::uint64_t key) {
        return guarded(key, [&](Bucket& first) { return NodeChain::erase(first, key); });
    }

    // Asks for the bucket's cache line. Never blocks; tasks, too.
    void prefetch(std::uint64_t key) const { prefetch_far(&buckets_[placement_(key)]); }

    // All below: anybody, tasks too, while no thread works on the table; without locks.
    [[nodiscard]] ChainNode const* lookup(std::uint64_t key) const {
        return NodeChain::search(buckets_[placement_(key)], key);
    }
    [[nodiscard]] std::size_t bucket_count() const { return buckets_.size(); }
    // visit(bucket index, node const&) for every node, bucket by bucket.
    template <typename Visit> void for_each(Visit visit) const {
        for (std::size_t at = 0; at < buckets_.size(); ++at)
            NodeChain::for_each(buckets_[at], [&](ChainNode const& node) { visit(at, node); });
    }
    // Counts them.
    [[nodiscard]] std::size_t size() const {
        std::size_t count = 0;
        for_each([&](std::size_t, ChainNode const&) { ++count; });
        return count;
    }

  private:
    template <typename Operation> auto guarded(std::uint64_t key, Operation operation) {
        std::size_t const at = placement_(key);
        typename Guard::Node node;
        guard_.lock(at, node);
        auto const result = operation(buckets_[at]);
        guard_.unlock(node);
        return result;
    }

    std::span<Bucket> buckets_;
    Placement placement_;
    Guard& guard_;
};

} // namespace mxk
