// Hemlock and its variants: as locks of all workers, for which they need a memory that all share, and of a node's below
// MCS, in the order of the thesis (RMA locks, 5.14 and 5.15), where they are beside c-mcs-hem (cohorts.cpp).
#include "locks/cohort_lock.hpp"
#include "locks/hemlock.hpp"
#include "locks/lock_kind.hpp"
#include "locks/mcs_lock.hpp"

namespace mxk::locks {
namespace {

template <typename F> using BaseHemlock = Hemlock<F>;
template <typename F> using CtrHemlock = Hemlock<F, {.writes_to_look = true}>;
template <typename F> using OverlapHemlock = Hemlock<F, {.overlaps = true}>;
template <typename F> using AheadHemlock = Hemlock<F, {.writes_to_look = true, .ahead = true}>;

constexpr LockKind hemlock = flat_lock("hemlock", "a queue without records; waiters poll the word of the one before",
                                       Fairness::Fifo, shared_lock_forms<BaseHemlock>);
MXK_REGISTER(mxk_lock_kinds, LockKind, hemlock);
constexpr LockKind hemlock_ctr = flat_lock("hemlock-ctr", "the same; looks by atomic additions of 0", Fairness::Fifo,
                                           shared_lock_forms<CtrHemlock>, {}, {.smp = 60});
MXK_REGISTER(mxk_lock_kinds, LockKind, hemlock_ctr);
constexpr LockKind hemlock_overlap =
    flat_lock("hemlock-overlap", "the same; waits for the answer before the next grant only", Fairness::Fifo,
              shared_lock_forms<OverlapHemlock>);
MXK_REGISTER(mxk_lock_kinds, LockKind, hemlock_overlap);
constexpr LockKind hemlock_ahead = flat_lock("hemlock-ahead", "hemlock-ctr that grants before it knows of a waiter",
                                             Fairness::Fifo, shared_lock_forms<AheadHemlock>);
MXK_REGISTER(mxk_lock_kinds, LockKind, hemlock_ahead);

constexpr LockKind hemlock_inline = flat_lock("hemlock-inline", "hemlock-ahead whose users have a word for each lock",
                                              Fairness::Fifo, shared_lock_forms<InlineHemlock>);
MXK_REGISTER(mxk_lock_kinds, LockKind, hemlock_inline);

template <typename F> using UpperMcs = Mcs<F>;
template <typename F> using CMcsBase = Cohort<F, UpperMcs, BaseHemlock>;
template <typename F> using CMcsCtr = Cohort<F, UpperMcs, CtrHemlock>;
template <typename F> using CMcsOverlap = Cohort<F, UpperMcs, OverlapHemlock>;
template <typename F> using CMcsAhead = Cohort<F, UpperMcs, AheadHemlock>;
template <typename F> using CMcsInline = Cohort<F, UpperMcs, InlineHemlock>;

constexpr LockKind c_mcs_hem_base = node_lock("c-mcs-hem-base", "cohort: MCS of nodes, hemlock in each",
                                              Fairness::Bounded, lock_forms<CMcsBase>, as_mcs);
MXK_REGISTER(mxk_lock_kinds, LockKind, c_mcs_hem_base);
constexpr LockKind c_mcs_hem_ctr = node_lock("c-mcs-hem-ctr", "cohort: MCS of nodes, hemlock-ctr in each",
                                             Fairness::Bounded, lock_forms<CMcsCtr>, as_mcs);
MXK_REGISTER(mxk_lock_kinds, LockKind, c_mcs_hem_ctr);
constexpr LockKind c_mcs_hem_overlap = node_lock("c-mcs-hem-overlap", "cohort: MCS of nodes, hemlock-overlap in each",
                                                 Fairness::Bounded, lock_forms<CMcsOverlap>, as_mcs);
MXK_REGISTER(mxk_lock_kinds, LockKind, c_mcs_hem_overlap);
constexpr LockKind c_mcs_hem_ahead = node_lock("c-mcs-hem-ahead", "cohort: MCS of nodes, hemlock-ahead in each",
                                               Fairness::Bounded, lock_forms<CMcsAhead>, as_mcs);
MXK_REGISTER(mxk_lock_kinds, LockKind, c_mcs_hem_ahead);
constexpr LockKind c_mcs_hem_inline = node_lock("c-mcs-hem-inline", "cohort: MCS of nodes, hemlock-inline in each",
                                                Fairness::Bounded, lock_forms<CMcsInline>, as_mcs);
MXK_REGISTER(mxk_lock_kinds, LockKind, c_mcs_hem_inline);

} // namespace
} // namespace mxk::locks
