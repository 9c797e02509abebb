// The thesis' table with chaining for threads (section 3.1): all of them work on all of it, and each operation takes
// the lock of its bucket: a semaphore (Algorithm 3.4), or none, to show what goes wrong then. It allocates nothing:
// buckets and nodes are the caller's. Nothing about tasks; who may work on a bucket is decided by its lock, not by an
// owner.
//
//     buckets   | first, semaphore | first, semaphore | ...       a chain as chained.hpp has them
//                   '-> 9 -> 6 -> end
//
//     SharedChains<Modulo, SemaphoreLock> table(buckets, Modulo(buckets.size()), SemaphoreKind::Fast);
//     ... any thread: table.insert(node), table.find(key), table.erase(key)
//
// A lock stands with its bucket, since its holder wants that one next.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>

#include "base/no_lock.hpp"
#include "base/prefetch.hpp"
#include "hashtable/layout/chain.hpp"
#include "tasks/threads/semaphore_lock.hpp"

namespace mxk {

// How a chain's links are read and written under such a lock.
template <Lock LockType> struct LinksUnder { using Type = PlainLinks; };
// No lock. Of two inserts that run through each other the first one's node is lost, though both say that they have
// inserted; an erase may be lost, or bring a node back that was erased. A node that was erased must not be inserted
// again while the table is in use: chains could become rings, and searches endless.
template <> struct LinksUnder<NoLock> { using Type = RacingLinks; };

// Placement: callable with a key, gives its index in the buckets. Every function: any thread, and blocks for the
// semaphore, unless it says otherwise.
template <typename Placement, Lock BucketLock, std::derived_from<ChainNode> NodeType = ChainNode> class SharedChains {
    using NodeChain = Chain<NodeType, typename LinksUnder<BucketLock>::Type>;
    // What a node carries may only be written where somebody keeps others away.
    static constexpr bool is_locked = !std::same_as<BucketLock, NoLock>;

  public:
    using Node = NodeType;
    struct Bucket {
        Bucket() = default;
        explicit Bucket(SemaphoreKind kind) requires std::constructible_from<BucketLock, SemaphoreKind> : lock(kind) {}
        ChainNode* first = NodeChain::end();
        [[no_unique_address]] BucketLock lock{};
    };

    // Constructs every bucket, in memory that outlives the table; their nodes are never freed by it. Its maker may be
    // a task, too.
    SharedChains(std::span<Bucket> memory, Placement placement, SemaphoreKind kind)
        : buckets_(memory)
        , placement_(placement) {
        for (Bucket& bucket : buckets_) {
            if constexpr (std::constructible_from<Bucket, SemaphoreKind>)
                new (&bucket) Bucket(kind);
            else
                new (&bucket) Bucket();
        }
    }
    ~SharedChains() { std::destroy(buckets_.begin(), buckets_.end()); }
    SharedChains(SharedChains const&) = delete;
    SharedChains& operator=(SharedChains const&) = delete;

    // False if the key is there already; the node then stays the caller's. Panics on key 0.
    bool insert(Node& node) {
        Bucket& bucket = bucket_of(node.key);
        LockGuard const guard(bucket.lock);
        return NodeChain::insert(bucket.first, node);
    }

    // Key 0 is never found.
    [[nodiscard]] bool find(std::uint64_t key) {
        Bucket& bucket = bucket_of(key);
        LockGuard const guard(bucket.lock);
        return NodeChain::contains(bucket.first, key);
    }

    // Calls change(node) with the key's node, while nobody else has its bucket; false if the key is not there.
    template <typename Change> bool update(std::uint64_t key, Change change) requires is_locked {
        Bucket& bucket = bucket_of(key);
        LockGuard const guard(bucket.lock);
        Node* const node = NodeChain::search(bucket.first, key);
        if (node != nullptr) change(*node);
        return node != nullptr;
    }
    // Inserts the node, or calls change(other) with the one that has its key already: false then, and the node stays
    // the caller's. Panics on key 0.
    template <typename Change> bool upsert(Node& node, Change change) requires is_locked {
        Bucket& bucket = bucket_of(node.key);
        LockGuard const guard(bucket.lock);
        Node& its = NodeChain::upsert(bucket.first, node);
        if (&its != &node) change(its);
        return &its == &node;
    }

    // Unlinks the key's node, which is the caller's then. Null if there was none.
    Node* erase(std::uint64_t key) {
        Bucket& bucket = bucket_of(key);
        LockGuard const guard(bucket.lock);
        return NodeChain::erase(bucket.first, key);
    }

    // Asks for the bucket's cache line. Never blocks; tasks, too.
    void prefetch(std::uint64_t key) const { prefetch_far(&bucket_of(key)); }

    // All below: anybody, tasks too, while no thread works on the table; without semaphores.
    [[nodiscard]] Node const* lookup(std::uint64_t key) const { return NodeChain::search(bucket_of(key).first, key); }
    [[nodiscard]] std::size_t bucket_count() const { return buckets_.size(); }
    // visit(bucket index, node const&) for every node, bucket by bucket.
    template <typename Visit> void for_each(Visit visit) const {
        for (std::size_t at = 0; at < buckets_.size(); ++at)
            NodeChain::for_each(buckets_[at].first, [&](Node const& node) { visit(at, node); });
    }
    // Counts them: a number that all threads write would be a queue of its own.
    [[nodiscard]] std::size_t size() const {
        std::size_t count = 0;
        for_each([&](std::size_t, Node const&) { ++count; });
        return count;
    }

  private:
    Bucket& bucket_of(std::uint64_t key) const { return buckets_[placement_(key)]; }

    std::span<Bucket> buckets_;
    Placement placement_;
};

} // namespace mxk
