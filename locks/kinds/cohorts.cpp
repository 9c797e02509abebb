// Cohort locks, by the lock of all and the lock of each node; where passes are counted; and trees of more levels.
#include "locks/backoff.hpp"
#include "locks/clh_lock.hpp"
#include "locks/cohort_lock.hpp"
#include "locks/hemlock.hpp"
#include "locks/hmcs_lock.hpp"
#include "locks/lock_kind.hpp"
#include "locks/mcs_lock.hpp"
#include "locks/rma_mcs_lock.hpp"
#include "locks/tas_lock.hpp"
#include "locks/ticket_lock.hpp"
#include "locks/tts_lock.hpp"

namespace mxk::locks {
namespace {

template <typename F> using UpperTas = Tas<F, Backoff<1, 256>>;
template <typename F> using UpperMcs = Mcs<F>;
template <typename F> using MessageMcs = Mcs<F, HandOver::Message>;
template <typename F> using UpperTicket = Ticket<F>;
template <typename F> using LowerMcs = Mcs<F>;
template <typename F> using LowerTicket = Ticket<F>;
template <typename F> using LowerTts = Tts<F, Backoff<1024, 16384>>;
template <typename F> using LowerClh = Clh<F>;
template <typename F> using LowerHemlock = Hemlock<F, {.writes_to_look = true, .ahead = true}>;
template <typename F>
using EncodedHemlock = Hemlock<F, {.writes_to_look = true, .ahead = true, .counts_in_word = true}>;

template <typename F> using CTasMcs = Cohort<F, UpperTas, LowerMcs>;
template <typename F> using CTasTicket = Cohort<F, UpperTas, LowerTicket>;
template <typename F> using CTasTts = Cohort<F, UpperTas, LowerTts>;
template <typename F> using CTasClh = Cohort<F, UpperTas, LowerClh>;
template <typename F> using CTasHemlock = Cohort<F, UpperTas, EncodedHemlock>;
template <typename F> using CMcsMcs = Cohort<F, UpperMcs, LowerMcs>;
template <typename F> using CMcsTicket = Cohort<F, UpperMcs, LowerTicket>;
template <typename F> using CMcsTts = Cohort<F, UpperMcs, LowerTts>;
template <typename F> using CMcsClh = Cohort<F, UpperMcs, LowerClh>;
template <typename F> using CMcsHemlock = Cohort<F, UpperMcs, EncodedHemlock>;
template <typename F> using CTicketMcs = Cohort<F, UpperTicket, LowerMcs>;
template <typename F> using CTicketTicket = Cohort<F, UpperTicket, LowerTicket>;
template <typename F> using CTicketTts = Cohort<F, UpperTicket, LowerTts>;
template <typename F> using CTicketClh = Cohort<F, UpperTicket, LowerClh>;
template <typename F> using CTicketHemlock = Cohort<F, UpperTicket, EncodedHemlock>;
template <typename F> using CMcsMcsHome = Cohort<F, UpperMcs, LowerMcs, PassCount::Home>;
template <typename F> using CMcsMcsNode = Cohort<F, UpperMcs, LowerMcs, PassCount::Node>;
template <typename F> using CMcsMcsPlain = Cohort<F, UpperMcs, LowerMcs, PassCount::Plain>;
template <typename F> using CMcsHemlockBeside = Cohort<F, UpperMcs, LowerHemlock, PassCount::Plain>;
template <typename F> using CMcsMcsMessage = Cohort<F, MessageMcs, LowerMcs>;
template <typename F> using CMcsHemlockMessage = Cohort<F, MessageMcs, EncodedHemlock>;

constexpr LockKind c_tas_mcs{.name = "c-tas-mcs",
                             .summary = "cohort: test-and-set of nodes, MCS in each",
                             .fairness = Fairness::Unbounded,
                             .has_nodes = true,
                             .operations = {.acquire = {{.home = 1}}, .release = {{.home = 1}}},
                             .forms = lock_forms<CTasMcs>};
MXK_REGISTER(mxk_lock_kinds, LockKind, c_tas_mcs);
constexpr LockKind c_tas_tkt{.name = "c-tas-tkt",
                             .summary = "cohort: test-and-set of nodes, tickets in each",
                             .fairness = Fairness::Unbounded,
                             .has_nodes = true,
                             .operations = {.acquire = {{.home = 1}}, .release = {{.home = 1}}},
                             .forms = lock_forms<CTasTicket>};
MXK_REGISTER(mxk_lock_kinds, LockKind, c_tas_tkt);
constexpr LockKind c_tas_tts{.name = "c-tas-tts",
                             .summary = "cohort: test-and-set of nodes, test and test-and-set in each",
                             .fairness = Fairness::Unbounded,
                             .has_nodes = true,
                             .operations = {.acquire = {{.home = 1}}, .release = {{.home = 1}}},
                             .forms = lock_forms<CTasTts>};
MXK_REGISTER(mxk_lock_kinds, LockKind, c_tas_tts);
constexpr LockKind c_tas_clh{.name = "c-tas-clh",
                             .summary = "cohort: test-and-set of nodes, CLH in each",
                             .fairness = Fairness::Unbounded,
                             .has_nodes = true,
                             .operations = {.acquire = {{.home = 1}}, .release = {{.home = 1}}},
                             .forms = lock_forms<CTasClh>};
MXK_REGISTER(mxk_lock_kinds, LockKind, c_tas_clh);
constexpr LockKind c_tas_hem{.name = "c-tas-hem",
                             .summary = "cohort: test-and-set of nodes, Hemlock in each",
                             .fairness = Fairness::Unbounded,
                             .has_nodes = true,
                             .operations = {.acquire = {{.home = 1}}, .release = {{.home = 1}}},
                             .forms = lock_forms<CTasHemlock>};
MXK_REGISTER(mxk_lock_kinds, LockKind, c_tas_hem);
constexpr LockKind c_mcs_mcs{.name = "c-mcs-mcs",
                             .summary = "cohort: MCS of nodes, MCS in each",
                             .fairness = Fairness::Bounded,
                             .has_nodes = true,
                             .operations = {.acquire = {{.home = 1}},
                                            .release = {{.home = 1}},
                                            .join = {{.home = 1, .others = 1}},
                                            .hand_over = {{.others = 1}}},
                             .forms = lock_forms<CMcsMcs>};
MXK_REGISTER(mxk_lock_kinds, LockKind, c_mcs_mcs);
constexpr LockKind c_mcs_tkt{.name = "c-mcs-tkt",
                             .summary = "cohort: MCS of nodes, tickets in each",
                             .fairness = Fairness::Bounded,
                             .has_nodes = true,
                             .operations = {.acquire = {{.home = 1}},
                                            .release = {{.home = 1}},
                                            .join = {{.home = 1, .others = 1}},
                                            .hand_over = {{.others = 1}}},
                             .forms = lock_forms<CMcsTicket>};
MXK_REGISTER(mxk_lock_kinds, LockKind, c_mcs_tkt);
constexpr LockKind c_mcs_tts{.name = "c-mcs-tts",
                             .summary = "cohort: MCS of nodes, test and test-and-set in each",
                             .fairness = Fairness::Unbounded,
                             .has_nodes = true,
                             .operations = {.acquire = {{.home = 1}},
                                            .release = {{.home = 1}},
                                            .join = {{.home = 1, .others = 1}},
                                            .hand_over = {{.others = 1}}},
                             .forms = lock_forms<CMcsTts>};
MXK_REGISTER(mxk_lock_kinds, LockKind, c_mcs_tts);
constexpr LockKind c_mcs_clh{.name = "c-mcs-clh",
                             .summary = "cohort: MCS of nodes, CLH in each",
                             .fairness = Fairness::Bounded,
                             .has_nodes = true,
                             .operations = {.acquire = {{.home = 1}},
                                            .release = {{.home = 1}},
                                            .join = {{.home = 1, .others = 1}},
                                            .hand_over = {{.others = 1}}},
                             .forms = lock_forms<CMcsClh>};
MXK_REGISTER(mxk_lock_kinds, LockKind, c_mcs_clh);
constexpr LockKind c_mcs_hem{.name = "c-mcs-hem",
                             .summary = "cohort: MCS of nodes, Hemlock in each",
                             .fairness = Fairness::Bounded,
                             .has_nodes = true,
                             .operations = {.acquire = {{.home = 1}},
                                            .release = {{.home = 1}},
                                            .join = {{.home = 1, .others = 1}},
                                            .hand_over = {{.others = 1}}},
                             .forms = lock_forms<CMcsHemlock>};
MXK_REGISTER(mxk_lock_kinds, LockKind, c_mcs_hem);
constexpr LockKind c_tkt_mcs{.name = "c-tkt-mcs",
                             .summary = "cohort: tickets of nodes, MCS in each",
                             .fairness = Fairness::Bounded,
                             .has_nodes = true,
                             .operations = {.acquire = {{.home = 2}}, .release = {{.home = 1}}},
                             .forms = lock_forms<CTicketMcs>};
MXK_REGISTER(mxk_lock_kinds, LockKind, c_tkt_mcs);
constexpr LockKind c_tkt_tkt{.name = "c-tkt-tkt",
                             .summary = "cohort: tickets of nodes, tickets in each",
                             .fairness = Fairness::Bounded,
                             .has_nodes = true,
                             .operations = {.acquire = {{.home = 2}}, .release = {{.home = 1}}},
                             .forms = lock_forms<CTicketTicket>};
MXK_REGISTER(mxk_lock_kinds, LockKind, c_tkt_tkt);
constexpr LockKind c_tkt_tts{.name = "c-tkt-tts",
                             .summary = "cohort: tickets of nodes, test and test-and-set in each",
                             .fairness = Fairness::Unbounded,
                             .has_nodes = true,
                             .operations = {.acquire = {{.home = 2}}, .release = {{.home = 1}}},
                             .forms = lock_forms<CTicketTts>};
MXK_REGISTER(mxk_lock_kinds, LockKind, c_tkt_tts);
constexpr LockKind c_tkt_clh{.name = "c-tkt-clh",
                             .summary = "cohort: tickets of nodes, CLH in each",
                             .fairness = Fairness::Bounded,
                             .has_nodes = true,
                             .operations = {.acquire = {{.home = 2}}, .release = {{.home = 1}}},
                             .forms = lock_forms<CTicketClh>};
MXK_REGISTER(mxk_lock_kinds, LockKind, c_tkt_clh);
constexpr LockKind c_tkt_hem{.name = "c-tkt-hem",
                             .summary = "cohort: tickets of nodes, Hemlock in each",
                             .fairness = Fairness::Bounded,
                             .has_nodes = true,
                             .operations = {.acquire = {{.home = 2}}, .release = {{.home = 1}}},
                             .forms = lock_forms<CTicketHemlock>};
MXK_REGISTER(mxk_lock_kinds, LockKind, c_tkt_hem);
constexpr LockKind c_mcs_mcs_home{.name = "c-mcs-mcs-home",
                                  .summary = "c-mcs-mcs that counts passes at the home",
                                  .fairness = Fairness::Bounded,
                                  .has_nodes = true,
                                  .operations = {.acquire = {{.home = 1}},
                                                 .release = {{.home = 2}},
                                                 .join = {{.home = 1, .others = 1}},
                                                 .hand_over = {{.home = 1, .others = 1}}},
                                  .forms = lock_forms<CMcsMcsHome>};
MXK_REGISTER(mxk_lock_kinds, LockKind, c_mcs_mcs_home);
constexpr LockKind c_mcs_mcs_node{.name = "c-mcs-mcs-node",
                                  .summary = "c-mcs-mcs that counts passes on the node, one-sided",
                                  .fairness = Fairness::Bounded,
                                  .has_nodes = true,
                                  .operations = {.acquire = {{.home = 1}},
                                                 .release = {{.home = 1, .near = 1}},
                                                 .join = {{.home = 1, .others = 1}},
                                                 .hand_over = {{.others = 1, .near = 1}}},
                                  .forms = lock_forms<CMcsMcsNode>};
MXK_REGISTER(mxk_lock_kinds, LockKind, c_mcs_mcs_node);
constexpr LockKind c_mcs_mcs_plain{.name = "c-mcs-mcs-plain",
                                   .summary = "c-mcs-mcs that counts passes on the node, plainly",
                                   .fairness = Fairness::Bounded,
                                   .has_nodes = true,
                                   .operations = {.acquire = {{.home = 1}},
                                                  .release = {{.home = 1}},
                                                  .join = {{.home = 1, .others = 1}},
                                                  .hand_over = {{.others = 1}}},
                                   .forms = lock_forms<CMcsMcsPlain>};
MXK_REGISTER(mxk_lock_kinds, LockKind, c_mcs_mcs_plain);
constexpr LockKind c_mcs_hem_beside{.name = "c-mcs-hem-beside",
                                    .summary = "c-mcs-hem whose count stands beside the granted word",
                                    .fairness = Fairness::Bounded,
                                    .has_nodes = true,
                                    .operations = {.acquire = {{.home = 1}},
                                                   .release = {{.home = 1}},
                                                   .join = {{.home = 1, .others = 1}},
                                                   .hand_over = {{.others = 1}}},
                                    .forms = lock_forms<CMcsHemlockBeside>};
MXK_REGISTER(mxk_lock_kinds, LockKind, c_mcs_hem_beside);
constexpr LockKind c_mcs_mcs_message{.name = "c-mcs-mcs-message",
                                     .summary = "c-mcs-mcs handed over to other nodes by messages",
                                     .fairness = Fairness::Bounded,
                                     .has_nodes = true,
                                     .operations = {.acquire = {{.home = 1}},
                                                    .release = {{.home = 1}},
                                                    .join = {{.home = 1, .others = 1}},
                                                    .hand_over = {{.messages = 1}}},
                                     .forms = one_sided_lock_forms<CMcsMcsMessage>};
MXK_REGISTER(mxk_lock_kinds, LockKind, c_mcs_mcs_message);
constexpr LockKind c_mcs_hem_message{.name = "c-mcs-hem-message",
                                     .summary = "c-mcs-hem handed over to other nodes by messages",
                                     .fairness = Fairness::Bounded,
                                     .has_nodes = true,
                                     .operations = {.acquire = {{.home = 1}},
                                                    .release = {{.home = 1}},
                                                    .join = {{.home = 1, .others = 1}},
                                                    .hand_over = {{.messages = 1}}},
                                     .forms = one_sided_lock_forms<CMcsHemlockMessage>};
MXK_REGISTER(mxk_lock_kinds, LockKind, c_mcs_hem_message);
constexpr LockKind hmcs{.name = "hmcs",
                        .summary = "MCS for caches, nodes and the machine",
                        .fairness = Fairness::Bounded,
                        .has_nodes = true,
                        .operations = {.acquire = {{.home = 1}},
                                       .release = {{.home = 1}},
                                       .join = {{.home = 1, .others = 1}},
                                       .hand_over = {{.others = 1}}},
                        .forms = lock_forms<Hmcs>};
MXK_REGISTER(mxk_lock_kinds, LockKind, hmcs);
constexpr LockKind rma_mcs{.name = "rma-mcs",
                           .summary = "MCS in two levels, all by one-sided operations",
                           .fairness = Fairness::Bounded,
                           .has_nodes = true,
                           .operations = {.acquire = {{.home = 1, .near = 3}}, .release = {{.home = 1, .near = 2}}},
                           .forms = one_sided_lock_forms<RmaMcs>};
MXK_REGISTER(mxk_lock_kinds, LockKind, rma_mcs);

} // namespace
} // namespace mxk::locks
