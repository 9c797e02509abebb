// What keeps visitors of a table's buckets apart (guarded_chains.hpp): one lock for all, a lock for each of its parts,
// or locks that change while the table is in use (kernel/sync/adaptive). For threads; with those that change each is in
// a VisitScope.
//
// A guard: lock(bucket, node) and unlock(node), with a Node of the visitor's; is_stable(); Scope: what a thread has as
// long as it operates, and passes now and then.
#pragma once

#include <cstddef>
#include <utility>

#include "base/lock.hpp"
#include "base/lock_rank.hpp"
#include "base/result.hpp"
#include "base/spin_lock.hpp"
#include "base/units.hpp"
#include "kernel/memory/node_vector.hpp"
#include "kernel/sync/adaptive/dynamic_lock.hpp"
#include "kernel/sync/adaptive/lock_cascade.hpp"
#include "kernel/sync/adaptive/visit.hpp"

namespace mxk::table_guards {

inline constexpr LockRank coarse_rank = lock_bands::application.rank(32);
inline constexpr LockRank fine_rank = lock_bands::application.rank(33);

// Buckets whose numbers are equal below this are one part: so many that two threads seldom want the same one at once,
// and so few that their locks stay in a first cache (16 KiB).
inline constexpr std::size_t parts = 4096;
constexpr std::size_t part_of(std::size_t bucket) {
    return bucket % parts;
}

// For one visitor: nobody is kept out.
struct None {
    using Scope = NoScope;
    struct Node {};
    void lock(std::size_t, Node&) {}
    void unlock(Node&) {}
    [[nodiscard]] static bool is_stable() { return true; }
};

// Any lock (base/lock.hpp).
template <Lock LockType> class alignas(cache_line_bytes) CoarseOf {
  public:
    using Scope = NoScope;
    using Node = typename LockType::Node;
    // `arguments`: the lock's.
    template <typename... Arguments>
    explicit CoarseOf(Arguments&&... arguments)
        : lock_(std::forward<Arguments>(arguments)...) {}
    void lock(std::size_t, Node& node) { lock_.lock(node); }
    void unlock(Node& node) { lock_.unlock(node); }
    [[nodiscard]] static bool is_stable() { return true; }

  private:
    LockType lock_;
};
struct Coarse : CoarseOf<SpinLock> {
    Coarse()
        : CoarseOf(coarse_rank) {}
};

class Fine {
  public:
    using Scope = NoScope;
    struct Node {
        SpinLock* lock = nullptr;
    };
    // Errors: no memory.
    Result<void> prepare(NodeId node) {
        locks_ = MXK_TRY(NodeVector<SpinLock>::create(parts, node));
        for (std::size_t i = 0; i < parts; ++i) locks_.emplace(fine_rank);
        return {};
    }
    void lock(std::size_t bucket, Node& node) {
        node.lock = &locks_[part_of(bucket)];
        node.lock->lock();
    }
    void unlock(Node& node) { node.lock->unlock(); }
    [[nodiscard]] static bool is_stable() { return true; }

  private:
    NodeVector<SpinLock> locks_;
};

class alignas(cache_line_bytes) Dynamic {
  public:
    using Scope = VisitScope;
    using LockType = DynamicLock<SpinLock, ScopedVisit>;
    using Node = LockType::Node;
    [[gnu::always_inline]] void lock(std::size_t, Node& node) { lock_.lock(node); }
    [[gnu::always_inline]] void unlock(Node& node) { lock_.unlock(node); }
    [[nodiscard]] bool is_stable() const { return lock_.is_stable(); }
    // Whether all visitors take one lock, beside others while it changes; a moment old.
    [[nodiscard]] bool has_one_lock() const { return !lock_.is_disabled() || !lock_.is_stable(); }

    // By the only visitor: it comes without a lock soon.
    void be_alone() { lock_.disable(); }
    // By one of several.
    static Result<void> be_several() { return {}; }
    // The next state; whether a change has begun.
    Result<bool> change() {
        if (!lock_.is_disabled()) return lock_.disable();
        lock_.enable();
        return true;
    }

  private:
    LockType lock_{coarse_rank};
};

class alignas(cache_line_bytes) Cascade {
  public:
    using Scope = VisitScope;
    using LockType = LockCascade<SpinLock, ScopedVisit>;
    using Node = LockType::Node;
    explicit Cascade(NodeId node)
        : locks_(parts, node, coarse_rank, fine_rank) {}
    [[gnu::always_inline]] void lock(std::size_t bucket, Node& node) { locks_.lock(part_of(bucket), node); }
    [[gnu::always_inline]] void unlock(Node& node) { locks_.unlock(node); }
    [[nodiscard]] bool is_stable() const { return locks_.is_stable(); }
    [[nodiscard]] bool has_one_lock() const {
        return locks_.granularity() == Granularity::Coarse || !locks_.is_stable();
    }

    void be_alone() {
        is_alone_ = true;
        locks_.claim();
    }
    // Errors: no memory.
    Result<void> be_several() {
        is_alone_ = false;
        [[maybe_unused]] bool const begun = MXK_TRY(locks_.refine());
        return {};
    }
    Result<bool> change() {
        if (locks_.granularity() != Granularity::Coarse) return locks_.coarsen();
        if (is_alone_) return locks_.claim();
        return locks_.refine();
    }

  private:
    LockType locks_;
    bool is_alone_ = false; // of who changes them
};

} // namespace mxk::table_guards
