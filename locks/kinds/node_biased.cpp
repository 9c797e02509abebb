// Locks that prefer workers of the holder's node without a lock of the node: RH and SHFL.
#include "locks/lock_kind.hpp"
#include "locks/rh_lock.hpp"
#include "locks/shfl_lock.hpp"

namespace mxk::locks {
namespace {

template <typename F> using Rh1x16 = Rh<F, 1, 16>;
template <typename F> using Rh1x32 = Rh<F, 1, 32>;
template <typename F> using Rh1x64 = Rh<F, 1, 64>;
template <typename F> using Rh2x32 = Rh<F, 2, 32>;
template <typename F> using Rh100x32 = Rh<F, 100, 32>;
template <typename F> using PlainShfl = Shfl<F>;
template <typename F> using TasShfl = Shfl<F, {.looks_first = false}>;
template <typename F> using NoStealShfl = Shfl<F, {.steals = false}>;
template <typename F> using McsTts = Shfl<F, {.shuffles = false}>;
template <typename F> using McsTas = Shfl<F, {.shuffles = false, .looks_first = false}>;

constexpr LockOperations as_rh{.acquire = {{.others = 1, .near = 1}}, .release = {{.near = 1}}};

constexpr LockKind rh_1_16 = node_lock("rh-1-16", "the last node keeps the lock; fair in 1 of 1, waits up to 16 turns",
                                       Fairness::Unbounded, lock_forms<Rh1x16>, as_rh);
MXK_REGISTER(mxk_lock_kinds, LockKind, rh_1_16);
constexpr LockKind rh_1_32 = node_lock("rh-1-32", "the last node keeps the lock; fair in 1 of 1, waits up to 32 turns",
                                       Fairness::Unbounded, lock_forms<Rh1x32>, as_rh);
MXK_REGISTER(mxk_lock_kinds, LockKind, rh_1_32);
constexpr LockKind rh_1_64 = node_lock("rh-1-64", "the last node keeps the lock; fair in 1 of 1, waits up to 64 turns",
                                       Fairness::Unbounded, lock_forms<Rh1x64>, as_rh);
MXK_REGISTER(mxk_lock_kinds, LockKind, rh_1_64);
constexpr LockKind rh_2_32 = node_lock("rh-2-32", "the last node keeps the lock; fair in 1 of 2, waits up to 32 turns",
                                       Fairness::Unbounded, lock_forms<Rh2x32>, as_rh);
MXK_REGISTER(mxk_lock_kinds, LockKind, rh_2_32);
constexpr LockKind rh_100_32 =
    node_lock("rh-100-32", "the last node keeps the lock; fair in 1 of 100, waits up to 32 turns", Fairness::Unbounded,
              lock_forms<Rh100x32>, as_rh);
MXK_REGISTER(mxk_lock_kinds, LockKind, rh_100_32);
constexpr LockKind shfl = node_lock("shfl", "a flag, and a queue of waiters, regrouped by node", Fairness::Unbounded,
                                    lock_forms<PlainShfl>, two_and_one, {.smp = 100, .emulated = 80});
MXK_REGISTER(mxk_lock_kinds, LockKind, shfl);
constexpr LockKind shfl_tas =
    node_lock("shfl-tas", "the same; attempts without looking", Fairness::Unbounded, lock_forms<TasShfl>, one_each);
MXK_REGISTER(mxk_lock_kinds, LockKind, shfl_tas);
constexpr LockKind shfl_no_steal =
    node_lock("shfl-no-steal", "shfl whose flag only the head of the queue takes", Fairness::Bounded,
              lock_forms<NoStealShfl>, {.acquire = {{.home = 4, .near = 2}}, .release = {{.home = 1}}});
MXK_REGISTER(mxk_lock_kinds, LockKind, shfl_no_steal);
constexpr LockKind mcs_tts =
    node_lock("mcs-tts", "shfl that leaves the queue as it is", Fairness::Unbounded, lock_forms<McsTts>, two_and_one);
MXK_REGISTER(mxk_lock_kinds, LockKind, mcs_tts);
constexpr LockKind mcs_tas = node_lock("mcs-tas", "the same; attempts without looking", Fairness::Unbounded,
                                       lock_forms<McsTas>, one_each, {.emulated = 90});
MXK_REGISTER(mxk_lock_kinds, LockKind, mcs_tas);

} // namespace
} // namespace mxk::locks
