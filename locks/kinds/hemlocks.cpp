// Hemlock and its variants. As locks of all workers they need a memory that all share.
#include "locks/hemlock.hpp"
#include "locks/lock_kind.hpp"

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

} // namespace
} // namespace mxk::locks
