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

constexpr LockKind rh_1_16{.name = "rh-1-16",
                           .summary = "the last node keeps the lock; fair in 1 of 1, waits up to 16 turns",
                           .fairness = Fairness::Unbounded,
                           .has_nodes = true,
                           .operations = {.acquire = {{.others = 1, .near = 1}}, .release = {{.near = 1}}},
                           .forms = lock_forms<Rh1x16>};
MXK_REGISTER(mxk_lock_kinds, LockKind, rh_1_16);
constexpr LockKind rh_1_32{.name = "rh-1-32",
                           .summary = "the last node keeps the lock; fair in 1 of 1, waits up to 32 turns",
                           .fairness = Fairness::Unbounded,
                           .has_nodes = true,
                           .operations = {.acquire = {{.others = 1, .near = 1}}, .release = {{.near = 1}}},
                           .forms = lock_forms<Rh1x32>};
MXK_REGISTER(mxk_lock_kinds, LockKind, rh_1_32);
constexpr LockKind rh_1_64{.name = "rh-1-64",
                           .summary = "the last node keeps the lock; fair in 1 of 1, waits up to 64 turns",
                           .fairness = Fairness::Unbounded,
                           .has_nodes = true,
                           .operations = {.acquire = {{.others = 1, .near = 1}}, .release = {{.near = 1}}},
                           .forms = lock_forms<Rh1x64>};
MXK_REGISTER(mxk_lock_kinds, LockKind, rh_1_64);
constexpr LockKind rh_2_32{.name = "rh-2-32",
                           .summary = "the last node keeps the lock; fair in 1 of 2, waits up to 32 turns",
                           .fairness = Fairness::Unbounded,
                           .has_nodes = true,
                           .operations = {.acquire = {{.others = 1, .near = 1}}, .release = {{.near = 1}}},
                           .forms = lock_forms<Rh2x32>};
MXK_REGISTER(mxk_lock_kinds, LockKind, rh_2_32);
constexpr LockKind rh_100_32{.name = "rh-100-32",
                             .summary = "the last node keeps the lock; fair in 1 of 100, waits up to 32 turns",
                             .fairness = Fairness::Unbounded,
                             .has_nodes = true,
                             .operations = {.acquire = {{.others = 1, .near = 1}}, .release = {{.near = 1}}},
                             .forms = lock_forms<Rh100x32>};
MXK_REGISTER(mxk_lock_kinds, LockKind, rh_100_32);
constexpr LockKind shfl{.name = "shfl",
                        .summary = "a flag, and a queue of waiters, regrouped by node",
                        .fairness = Fairness::Unbounded,
                        .has_nodes = true,
                        .operations = {.acquire = {{.home = 2}}, .release = {{.home = 1}}},
                        .forms = lock_forms<PlainShfl>};
MXK_REGISTER(mxk_lock_kinds, LockKind, shfl);
constexpr LockKind shfl_tas{.name = "shfl-tas",
                            .summary = "the same; attempts without looking",
                            .fairness = Fairness::Unbounded,
                            .has_nodes = true,
                            .operations = {.acquire = {{.home = 1}}, .release = {{.home = 1}}},
                            .forms = lock_forms<TasShfl>};
MXK_REGISTER(mxk_lock_kinds, LockKind, shfl_tas);
constexpr LockKind shfl_no_steal{.name = "shfl-no-steal",
                                 .summary = "shfl whose flag only the head of the queue takes",
                                 .fairness = Fairness::Bounded,
                                 .has_nodes = true,
                                 .operations = {.acquire = {{.home = 4, .near = 2}}, .release = {{.home = 1}}},
                                 .forms = lock_forms<NoStealShfl>};
MXK_REGISTER(mxk_lock_kinds, LockKind, shfl_no_steal);
constexpr LockKind mcs_tts{.name = "mcs-tts",
                           .summary = "shfl that leaves the queue as it is",
                           .fairness = Fairness::Unbounded,
                           .has_nodes = true,
                           .operations = {.acquire = {{.home = 2}}, .release = {{.home = 1}}},
                           .forms = lock_forms<McsTts>};
MXK_REGISTER(mxk_lock_kinds, LockKind, mcs_tts);
constexpr LockKind mcs_tas{.name = "mcs-tas",
                           .summary = "the same; attempts without looking",
                           .fairness = Fairness::Unbounded,
                           .has_nodes = true,
                           .operations = {.acquire = {{.home = 1}}, .release = {{.home = 1}}},
                           .forms = lock_forms<McsTas>};
MXK_REGISTER(mxk_lock_kinds, LockKind, mcs_tas);

} // namespace
} // namespace mxk::locks
