// Locks with a queue of all workers.
#include "locks/abortable_mcs_lock.hpp"
#include "locks/clh_lock.hpp"
#include "locks/clh_numa_lock.hpp"
#include "locks/d_mcs_lock.hpp"
#include "locks/dash_lock.hpp"
#include "locks/lock_kind.hpp"
#include "locks/mcs_lock.hpp"

namespace mxk::locks {
namespace {

template <typename F> using StoreMcs = Mcs<F>;
template <typename F> using MessageMcs = Mcs<F, HandOver::Message>;
template <typename F> using PublishedDMcs = DMcs<F, DMcsStep::Published>;
template <typename F> using CompletedDMcs = DMcs<F, DMcsStep::Completed>;
template <typename F> using PutDMcs = DMcs<F, DMcsStep::Put>;
template <typename F> using PublishedDash = Dash<F, DashStep::Published>;
template <typename F> using LooksFirstDash = Dash<F, DashStep::LooksFirst>;
template <typename F> using PlainLoadsDash = Dash<F, DashStep::PlainLoads>;
template <typename F> using PutDash = Dash<F, DashStep::Put>;

constexpr LockKind mcs = flat_lock("mcs", "a queue; each waiter polls a word of its own", Fairness::Fifo,
                                   lock_forms<StoreMcs>, as_mcs, {.smp = 40, .emulated = 10, .mpi = 10});
MXK_REGISTER(mxk_lock_kinds, LockKind, mcs);
constexpr LockKind mcs_message =
    flat_lock("mcs-message", "the same; the lock is handed over by a message", Fairness::Fifo,
              one_sided_lock_forms<MessageMcs>, as_mcs_by_message, {.mpi = 20});
MXK_REGISTER(mxk_lock_kinds, LockKind, mcs_message);
constexpr LockKind mcs_abort =
    flat_lock("mcs-abort", "a queue as mcs, whose waiters may leave", Fairness::Fifo, shared_lock_forms<AbortableMcs>);
MXK_REGISTER(mxk_lock_kinds, LockKind, mcs_abort);
constexpr LockKind clh =
    flat_lock("clh", "a queue; each waiter polls the record of the one before", Fairness::Fifo, lock_forms<Clh>,
              {.acquire = {{.home = 1, .others = 1, .near = 1}}, .release = {{.near = 1}}},
              {.smp = 50, .emulated = 20, .mpi = 30});
MXK_REGISTER(mxk_lock_kinds, LockKind, clh);
// To join: the holder has the record that was the home's.
constexpr LockKind clh_numa =
    flat_lock("clh-numa", "CLH whose waiters poll words of their own", Fairness::Fifo, lock_forms<ClhNuma>,
              {.acquire = {{.home = 1, .others = 1, .near = 1}},
               .release = {{.near = 1}},
               .join = {{.home = 1, .near = 2}},
               .hand_over = {{.others = 2}}},
              {.emulated = 30, .mpi = 40});
MXK_REGISTER(mxk_lock_kinds, LockKind, clh_numa);

constexpr LockKind d_mcs_published = flat_lock("d-mcs-published", "MCS by one-sided operations, as published",
                                               Fairness::Fifo, one_sided_lock_forms<PublishedDMcs>, as_mcs);
MXK_REGISTER(mxk_lock_kinds, LockKind, d_mcs_published);
constexpr LockKind d_mcs_completed = flat_lock("d-mcs-completed", "the same, step 1: operations are completed at once",
                                               Fairness::Fifo, one_sided_lock_forms<CompletedDMcs>, as_mcs);
MXK_REGISTER(mxk_lock_kinds, LockKind, d_mcs_completed);
constexpr LockKind d_mcs_put = flat_lock("d-mcs-put", "the same, step 2: plain stores of eight bytes", Fairness::Fifo,
                                         one_sided_lock_forms<PutDMcs>, as_mcs);
MXK_REGISTER(mxk_lock_kinds, LockKind, d_mcs_put);

template <typename F> using AtomicsDMcs = DMcs<typename F::Near, DMcsStep::Put>;
template <typename F> using AtomicsDash = Dash<typename F::Near, DashStep::Put>;
constexpr LockOperations none_remote{.acquire = {{}}, .release = {{}}};
constexpr LockKind one_node_lock(std::string_view name, std::string_view summary, LockForms const& forms) {
    LockKind kind = flat_lock(name, summary, Fairness::Fifo, forms, none_remote);
    kind.of_one_node = true;
    return kind;
}
constexpr LockKind d_mcs_atomics =
    one_node_lock("d-mcs-atomics", "the same, step 3: the processor's operations, within one node",
                  one_sided_lock_forms<AtomicsDMcs>);
MXK_REGISTER(mxk_lock_kinds, LockKind, d_mcs_atomics);

constexpr LockKind dash_published = flat_lock("dash-published", "MCS handed over by a message, as in DASH",
                                              Fairness::Fifo, one_sided_lock_forms<PublishedDash>,
                                              {.acquire = {{.home = 1}},
                                               .release = {{.home = 1}},
                                               .join = {{.home = 1, .others = 1}},
                                               .hand_over = {{.home = 1, .near = 1, .messages = 1}}});
MXK_REGISTER(mxk_lock_kinds, LockKind, dash_published);
constexpr LockKind dash_looks_first = flat_lock("dash-looks-first", "the same, step 1: looks for a successor first",
                                                Fairness::Fifo, one_sided_lock_forms<LooksFirstDash>,
                                                {.acquire = {{.home = 1}},
                                                 .release = {{.home = 1, .near = 1}},
                                                 .join = {{.home = 1, .others = 1}},
                                                 .hand_over = {{.near = 1, .messages = 1}}});
MXK_REGISTER(mxk_lock_kinds, LockKind, dash_looks_first);
constexpr LockKind dash_plain_loads =
    flat_lock("dash-plain-loads", "the same, step 2: looks by plain loads", Fairness::Fifo,
              one_sided_lock_forms<PlainLoadsDash>, as_mcs_by_message);
MXK_REGISTER(mxk_lock_kinds, LockKind, dash_plain_loads);
constexpr LockKind dash_put = flat_lock("dash-put", "the same, step 3: joins the queue by a plain store",
                                        Fairness::Fifo, one_sided_lock_forms<PutDash>, as_mcs_by_message);
MXK_REGISTER(mxk_lock_kinds, LockKind, dash_put);

constexpr LockKind dash_atomics = one_node_lock(
    "dash-atomics", "the same, step 4: the processor's operations, within one node", one_sided_lock_forms<AtomicsDash>);
MXK_REGISTER(mxk_lock_kinds, LockKind, dash_atomics);

} // namespace
} // namespace mxk::locks
