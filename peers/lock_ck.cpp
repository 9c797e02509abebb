// Concurrency Kit's spin locks as kinds of `bench lock`, inlined, as its headers are meant to be used.
#include <cstddef>

#include <ck_pr.h>

namespace mxk::bench {
namespace {

// Those headers are C: they assign what is void* there to pointers of other types.
struct AnyPointer {
    void* pointer;
    template <typename T> operator T*() const { // NOLINT(google-explicit-constructor): as in C
        return static_cast<T*>(pointer);
    }
    template <typename T> friend bool operator==(AnyPointer any, T* other) { return any.pointer == other; }
    friend bool operator==(AnyPointer any, std::nullptr_t) { return any.pointer == nullptr; }
};
[[gnu::always_inline]] inline AnyPointer load_any(void const* from) {
    return {ck_pr_md_load_ptr(from)};
}
[[gnu::always_inline]] inline AnyPointer swap_any(void* target, void* value) {
    return {ck_pr_fas_ptr(target, value)};
}

} // namespace
} // namespace mxk::bench

#undef ck_pr_load_ptr
#define ck_pr_load_ptr mxk::bench::load_any
#define ck_pr_fas_ptr mxk::bench::swap_any
extern "C" {
#include <ck_cohort.h>
#include <spinlock/clh.h>
#include <spinlock/fas.h>
#include <spinlock/mcs.h>
#include <spinlock/ticket.h>
}
#undef ck_pr_load_ptr
#undef ck_pr_fas_ptr

#include "base/units.hpp"
#include "peers/lock_peer.hpp"

namespace mxk::bench {
namespace {

template <typename Lock, void (*init)(Lock*), void (*lock_it)(Lock*), void (*unlock_it)(Lock*)> struct CkPlain {
    CkPlain() { init(&state); }
    void lock() { lock_it(&state); }
    void unlock() { unlock_it(&state); }

    Lock state{};
};

using CkFas = CkPlain<ck_spinlock_fas_t, ck_spinlock_fas_init, ck_spinlock_fas_lock, ck_spinlock_fas_unlock>;
constexpr LockKind ck_fas =
    peer_lock<PlainLock<CkFas>>("ck-fas", MXK_PEER_LIBRARY, "Concurrency Kit: test and test-and-set");
MXK_REGISTER(mxk_lock_kinds, LockKind, ck_fas);

using CkTicket =
    CkPlain<ck_spinlock_ticket_t, ck_spinlock_ticket_init, ck_spinlock_ticket_lock, ck_spinlock_ticket_unlock>;
constexpr LockKind ck_ticket =
    peer_lock<PlainLock<CkTicket>>("ck-ticket", MXK_PEER_LIBRARY, "Concurrency Kit: tickets", Fairness::Fifo);
MXK_REGISTER(mxk_lock_kinds, LockKind, ck_ticket);

class CkMcs {
  public:
    struct Node {
        ck_spinlock_mcs_context_t context{};
    };
    explicit CkMcs(SmpSite const& /*site*/) { ck_spinlock_mcs_init(&queue_); }
    void acquire(Node& node) { ck_spinlock_mcs_lock(&queue_, &node.context); }
    void release(Node& node) { ck_spinlock_mcs_unlock(&queue_, &node.context); }

  private:
    ck_spinlock_mcs_t queue_{};
};
constexpr LockKind ck_mcs = peer_lock<CkMcs>("ck-mcs", MXK_PEER_LIBRARY, "Concurrency Kit: MCS", Fairness::Fifo);
MXK_REGISTER(mxk_lock_kinds, LockKind, ck_mcs);

class CkClh {
  public:
    // Records go from user to user: they end together, when nobody uses the lock.
    struct Node {
        ck_spinlock_clh_t record{};
        ck_spinlock_clh_t* own = &record;
    };
    explicit CkClh(SmpSite const& /*site*/) { ck_spinlock_clh_init(&queue_, &unowned_); }
    void acquire(Node& node) { ck_spinlock_clh_lock(&queue_, node.own); }
    void release(Node& node) { ck_spinlock_clh_unlock(&node.own); }

  private:
    alignas(cache_line_bytes) ck_spinlock_clh_t* queue_ = nullptr;
    alignas(cache_line_bytes) ck_spinlock_clh_t unowned_{};
};
constexpr LockKind ck_clh = peer_lock<CkClh>("ck-clh", MXK_PEER_LIBRARY, "Concurrency Kit: CLH", Fairness::Fifo);
MXK_REGISTER(mxk_lock_kinds, LockKind, ck_clh);

void lock_upper(void* queue, void* context) {
    ck_spinlock_mcs_lock(static_cast<ck_spinlock_mcs_t*>(queue), static_cast<ck_spinlock_mcs_t>(context));
}
void unlock_upper(void* queue, void* context) {
    ck_spinlock_mcs_unlock(static_cast<ck_spinlock_mcs_t*>(queue), static_cast<ck_spinlock_mcs_t>(context));
}
bool upper_is_locked(void* queue, void* /*context*/) {
    return ck_spinlock_mcs_locked(static_cast<ck_spinlock_mcs_t*>(queue));
}
CK_COHORT_PROTOTYPE(mcs_mcs, lock_upper, unlock_upper, upper_is_locked, lock_upper, unlock_upper, upper_is_locked)

// MCS of nodes, MCS in each; the passes are the site's.
class CkCohort {
    struct OfNode {
        ck_cohort_mcs_mcs cohort{};
        alignas(cache_line_bytes) ck_spinlock_mcs_t lower = nullptr;
        alignas(cache_line_bytes) ck_spinlock_mcs_context_t context{}; // in the upper lock
    };

  public:
    struct Node {
        ck_spinlock_mcs_context_t context{};
    };
    explicit CkCohort(SmpSite const& site)
        : nodes_(site, locks::Level::Node, [](std::size_t) { return OfNode{}; }) {
        ck_spinlock_mcs_init(&upper_);
        for (std::size_t i = 0; i < nodes_.size(); ++i)
            ck_cohort_mcs_mcs_init(&nodes_[i].cohort, static_cast<void*>(&upper_), static_cast<void*>(&nodes_[i].lower),
                                   site.max_passes());
    }
    void acquire(Node& node) {
        OfNode& own = nodes_.own();
        ck_cohort_mcs_mcs_lock(&own.cohort, &own.context, &node.context);
    }
    void release(Node& node) {
        OfNode& own = nodes_.own();
        ck_cohort_mcs_mcs_unlock(&own.cohort, &own.context, &node.context);
    }

  private:
    alignas(cache_line_bytes) ck_spinlock_mcs_t upper_ = nullptr;
    locks::Smp::PerGroup<OfNode> nodes_;
};
constexpr LockKind ck_cohort = peer_lock<CkCohort>(
    "ck-cohort", MXK_PEER_LIBRARY, "Concurrency Kit: cohort, MCS of nodes, MCS in each", Fairness::Bounded);
MXK_REGISTER(mxk_lock_kinds, LockKind, ck_cohort);

} // namespace
} // namespace mxk::bench
