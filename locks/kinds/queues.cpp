// Locks with a queue of all workers.
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

constexpr LockKind mcs{.name = "mcs",
                       .summary = "a queue; each waiter polls a word of its own",
                       .fairness = Fairness::Fifo,
                       .operations = {.acquire = {{.home = 1}},
                                      .release = {{.home = 1}},
                                      .join = {{.home = 1, .others = 1}},
                                      .hand_over = {{.others = 1}}},
                       .forms = lock_forms<StoreMcs>};
MXK_REGISTER(mxk_lock_kinds, LockKind, mcs);
constexpr LockKind mcs_message{.name = "mcs-message",
                               .summary = "the same; the lock is handed over by a message",
                               .fairness = Fairness::Fifo,
                               .operations = {.acquire = {{.home = 1}},
                                              .release = {{.home = 1}},
                                              .join = {{.home = 1, .others = 1}},
                                              .hand_over = {{.messages = 1}}},
                               .forms = one_sided_lock_forms<MessageMcs>};
MXK_REGISTER(mxk_lock_kinds, LockKind, mcs_message);
constexpr LockKind clh{.name = "clh",
                       .summary = "a queue; each waiter polls the record of the one before",
                       .fairness = Fairness::Fifo,
                       .operations = {.acquire = {{.home = 1, .others = 1, .near = 1}}, .release = {{.near = 1}}},
                       .forms = lock_forms<Clh>};
MXK_REGISTER(mxk_lock_kinds, LockKind, clh);
constexpr LockKind clh_numa{.name = "clh-numa",
                            .summary = "CLH whose waiters poll words of their own",
                            .fairness = Fairness::Fifo,
                            .operations = {.acquire = {{.home = 1, .others = 1, .near = 1}},
                                           .release = {{.near = 1}},
                                           // The holder has the record that was the home's.
                                           .join = {{.home = 1, .near = 2}},
                                           .hand_over = {{.others = 2}}},
                            .forms = lock_forms<ClhNuma>};
MXK_REGISTER(mxk_lock_kinds, LockKind, clh_numa);

constexpr LockKind d_mcs_published{.name = "d-mcs-published",
                                   .summary = "MCS by one-sided operations, as published",
                                   .fairness = Fairness::Fifo,
                                   .operations = {.acquire = {{.home = 1}},
                                                  .release = {{.home = 1}},
                                                  .join = {{.home = 1, .others = 1}},
                                                  .hand_over = {{.others = 1}}},
                                   .forms = one_sided_lock_forms<PublishedDMcs>};
MXK_REGISTER(mxk_lock_kinds, LockKind, d_mcs_published);
constexpr LockKind d_mcs_completed{.name = "d-mcs-completed",
                                   .summary = "the same, step 1: operations are completed at once",
                                   .fairness = Fairness::Fifo,
                                   .operations = {.acquire = {{.home = 1}},
                                                  .release = {{.home = 1}},
                                                  .join = {{.home = 1, .others = 1}},
                                                  .hand_over = {{.others = 1}}},
                                   .forms = one_sided_lock_forms<CompletedDMcs>};
MXK_REGISTER(mxk_lock_kinds, LockKind, d_mcs_completed);
constexpr LockKind d_mcs_put{.name = "d-mcs-put",
                             .summary = "the same, step 2: plain stores of eight bytes",
                             .fairness = Fairness::Fifo,
                             .operations = {.acquire = {{.home = 1}},
                                            .release = {{.home = 1}},
                                            .join = {{.home = 1, .others = 1}},
                                            .hand_over = {{.others = 1}}},
                             .forms = one_sided_lock_forms<PutDMcs>};
MXK_REGISTER(mxk_lock_kinds, LockKind, d_mcs_put);

constexpr LockKind dash_published{.name = "dash-published",
                                  .summary = "MCS handed over by a message, as in DASH",
                                  .fairness = Fairness::Fifo,
                                  .operations = {.acquire = {{.home = 1}},
                                                 .release = {{.home = 1}},
                                                 .join = {{.home = 1, .others = 1}},
                                                 .hand_over = {{.home = 1, .near = 1, .messages = 1}}},
                                  .forms = one_sided_lock_forms<PublishedDash>};
MXK_REGISTER(mxk_lock_kinds, LockKind, dash_published);
constexpr LockKind dash_looks_first{.name = "dash-looks-first",
                                    .summary = "the same, step 1: looks for a successor first",
                                    .fairness = Fairness::Fifo,
                                    .operations = {.acquire = {{.home = 1}},
                                                   .release = {{.home = 1, .near = 1}},
                                                   .join = {{.home = 1, .others = 1}},
                                                   .hand_over = {{.near = 1, .messages = 1}}},
                                    .forms = one_sided_lock_forms<LooksFirstDash>};
MXK_REGISTER(mxk_lock_kinds, LockKind, dash_looks_first);
constexpr LockKind dash_plain_loads{.name = "dash-plain-loads",
                                    .summary = "the same, step 2: looks by plain loads",
                                    .fairness = Fairness::Fifo,
                                    .operations = {.acquire = {{.home = 1}},
                                                   .release = {{.home = 1}},
                                                   .join = {{.home = 1, .others = 1}},
                                                   .hand_over = {{.messages = 1}}},
                                    .forms = one_sided_lock_forms<PlainLoadsDash>};
MXK_REGISTER(mxk_lock_kinds, LockKind, dash_plain_loads);
constexpr LockKind dash_put{.name = "dash-put",
                            .summary = "the same, step 3: joins the queue by a plain store",
                            .fairness = Fairness::Fifo,
                            .operations = {.acquire = {{.home = 1}},
                                           .release = {{.home = 1}},
                                           .join = {{.home = 1, .others = 1}},
                                           .hand_over = {{.messages = 1}}},
                            .forms = one_sided_lock_forms<PutDash>};
MXK_REGISTER(mxk_lock_kinds, LockKind, dash_put);

} // namespace
} // namespace mxk::locks
