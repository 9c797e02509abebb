// Cohort locks, by the lock of all and the lock of each node; where passes are counted; and trees of more levels.
#include "locks/abortable_mcs_lock.hpp"
#include "locks/ahmcs_lock.hpp"
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
template <typename F> using UpperAbortableMcs = AbortableMcs<F>;
template <typename F> using LowerAbortableMcs = AbortableMcs<F>;
template <typename F> using CMcsMcsAbort = Cohort<F, UpperAbortableMcs, LowerAbortableMcs>;
template <typename F> using CTasMcsAbort = Cohort<F, UpperTas, LowerAbortableMcs>;
template <typename F> using CMcsMcsMessage = Cohort<F, MessageMcs, LowerMcs>;
template <typename F> using CMcsHemlockMessage = Cohort<F, MessageMcs, EncodedHemlock>;

constexpr LockKind c_tas_mcs = node_lock("c-tas-mcs", "cohort: test-and-set of nodes, MCS in each", Fairness::Unbounded,
                                         lock_forms<CTasMcs>, one_each);
MXK_REGISTER(mxk_lock_kinds, LockKind, c_tas_mcs);
constexpr LockKind c_tas_tkt = node_lock("c-tas-tkt", "cohort: test-and-set of nodes, tickets in each",
                                         Fairness::Unbounded, lock_forms<CTasTicket>, one_each);
MXK_REGISTER(mxk_lock_kinds, LockKind, c_tas_tkt);
constexpr LockKind c_tas_tts = node_lock("c-tas-tts", "cohort: test-and-set of nodes, test and test-and-set in each",
                                         Fairness::Unbounded, lock_forms<CTasTts>, one_each);
MXK_REGISTER(mxk_lock_kinds, LockKind, c_tas_tts);
constexpr LockKind c_tas_clh = node_lock("c-tas-clh", "cohort: test-and-set of nodes, CLH in each", Fairness::Unbounded,
                                         lock_forms<CTasClh>, one_each);
MXK_REGISTER(mxk_lock_kinds, LockKind, c_tas_clh);
constexpr LockKind c_tas_hem = node_lock("c-tas-hem", "cohort: test-and-set of nodes, Hemlock in each",
                                         Fairness::Unbounded, lock_forms<CTasHemlock>, one_each);
MXK_REGISTER(mxk_lock_kinds, LockKind, c_tas_hem);
constexpr LockKind c_mcs_mcs = node_lock("c-mcs-mcs", "cohort: MCS of nodes, MCS in each", Fairness::Bounded,
                                         lock_forms<CMcsMcs>, as_mcs, {.smp = 70, .emulated = 50, .mpi = 60});
MXK_REGISTER(mxk_lock_kinds, LockKind, c_mcs_mcs);
constexpr LockKind c_mcs_mcs_abort =
    node_lock("c-mcs-mcs-abort", "cohort: MCS of nodes, MCS in each, whose waiters may leave", Fairness::Bounded,
              shared_lock_forms<CMcsMcsAbort>, {});
MXK_REGISTER(mxk_lock_kinds, LockKind, c_mcs_mcs_abort);
constexpr LockKind c_tas_mcs_abort =
    node_lock("c-tas-mcs-abort", "cohort: test-and-set of nodes, MCS in each, whose waiters may leave",
              Fairness::Unbounded, shared_lock_forms<CTasMcsAbort>, {});
MXK_REGISTER(mxk_lock_kinds, LockKind, c_tas_mcs_abort);
constexpr LockKind c_mcs_tkt =
    node_lock("c-mcs-tkt", "cohort: MCS of nodes, tickets in each", Fairness::Bounded, lock_forms<CMcsTicket>, as_mcs);
MXK_REGISTER(mxk_lock_kinds, LockKind, c_mcs_tkt);
constexpr LockKind c_mcs_tts = node_lock("c-mcs-tts", "cohort: MCS of nodes, test and test-and-set in each",
                                         Fairness::Unbounded, lock_forms<CMcsTts>, as_mcs);
MXK_REGISTER(mxk_lock_kinds, LockKind, c_mcs_tts);
constexpr LockKind c_mcs_clh =
    node_lock("c-mcs-clh", "cohort: MCS of nodes, CLH in each", Fairness::Bounded, lock_forms<CMcsClh>, as_mcs);
MXK_REGISTER(mxk_lock_kinds, LockKind, c_mcs_clh);
constexpr LockKind c_mcs_hem = node_lock("c-mcs-hem", "cohort: MCS of nodes, Hemlock in each", Fairness::Bounded,
                                         lock_forms<CMcsHemlock>, as_mcs, {.smp = 80, .emulated = 60, .mpi = 70});
MXK_REGISTER(mxk_lock_kinds, LockKind, c_mcs_hem);
constexpr LockKind c_tkt_mcs = node_lock("c-tkt-mcs", "cohort: tickets of nodes, MCS in each", Fairness::Bounded,
                                         lock_forms<CTicketMcs>, two_and_one);
MXK_REGISTER(mxk_lock_kinds, LockKind, c_tkt_mcs);
constexpr LockKind c_tkt_tkt = node_lock("c-tkt-tkt", "cohort: tickets of nodes, tickets in each", Fairness::Bounded,
                                         lock_forms<CTicketTicket>, two_and_one);
MXK_REGISTER(mxk_lock_kinds, LockKind, c_tkt_tkt);
constexpr LockKind c_tkt_tts = node_lock("c-tkt-tts", "cohort: tickets of nodes, test and test-and-set in each",
                                         Fairness::Unbounded, lock_forms<CTicketTts>, two_and_one);
MXK_REGISTER(mxk_lock_kinds, LockKind, c_tkt_tts);
constexpr LockKind c_tkt_clh = node_lock("c-tkt-clh", "cohort: tickets of nodes, CLH in each", Fairness::Bounded,
                                         lock_forms<CTicketClh>, two_and_one);
MXK_REGISTER(mxk_lock_kinds, LockKind, c_tkt_clh);
constexpr LockKind c_tkt_hem = node_lock("c-tkt-hem", "cohort: tickets of nodes, Hemlock in each", Fairness::Bounded,
                                         lock_forms<CTicketHemlock>, two_and_one);
MXK_REGISTER(mxk_lock_kinds, LockKind, c_tkt_hem);
constexpr LockKind c_mcs_mcs_home =
    node_lock("c-mcs-mcs-home", "c-mcs-mcs that counts passes at the home", Fairness::Bounded, lock_forms<CMcsMcsHome>,
              {.acquire = {{.home = 1}},
               .release = {{.home = 2}},
               .join = {{.home = 1, .others = 1}},
               .hand_over = {{.home = 1, .others = 1}}});
MXK_REGISTER(mxk_lock_kinds, LockKind, c_mcs_mcs_home);
constexpr LockKind c_mcs_mcs_node = node_lock("c-mcs-mcs-node", "c-mcs-mcs that counts passes on the node, one-sided",
                                              Fairness::Bounded, lock_forms<CMcsMcsNode>,
                                              {.acquire = {{.home = 1}},
                                               .release = {{.home = 1, .near = 1}},
                                               .join = {{.home = 1, .others = 1}},
                                               .hand_over = {{.others = 1, .near = 1}}});
MXK_REGISTER(mxk_lock_kinds, LockKind, c_mcs_mcs_node);
constexpr LockKind c_mcs_mcs_plain = node_lock("c-mcs-mcs-plain", "c-mcs-mcs that counts passes on the node, plainly",
                                               Fairness::Bounded, lock_forms<CMcsMcsPlain>, as_mcs);
MXK_REGISTER(mxk_lock_kinds, LockKind, c_mcs_mcs_plain);
constexpr LockKind c_mcs_hem_beside =
    node_lock("c-mcs-hem-beside", "c-mcs-hem whose count stands beside the granted word", Fairness::Bounded,
              lock_forms<CMcsHemlockBeside>, as_mcs);
MXK_REGISTER(mxk_lock_kinds, LockKind, c_mcs_hem_beside);
constexpr LockKind c_mcs_mcs_message =
    node_lock("c-mcs-mcs-message", "c-mcs-mcs handed over to other nodes by messages", Fairness::Bounded,
              one_sided_lock_forms<CMcsMcsMessage>, as_mcs_by_message, {.emulated = 70});
MXK_REGISTER(mxk_lock_kinds, LockKind, c_mcs_mcs_message);
constexpr LockKind c_mcs_hem_message =
    node_lock("c-mcs-hem-message", "c-mcs-hem handed over to other nodes by messages", Fairness::Bounded,
              one_sided_lock_forms<CMcsHemlockMessage>, as_mcs_by_message);
MXK_REGISTER(mxk_lock_kinds, LockKind, c_mcs_hem_message);
constexpr LockKind hmcs = node_lock("hmcs", "MCS for caches, nodes and the machine", Fairness::Bounded,
                                    lock_forms<Hmcs>, as_mcs, {.smp = 90});
MXK_REGISTER(mxk_lock_kinds, LockKind, hmcs);
constexpr LockKind ahmcs = node_lock("ahmcs", "hmcs whose users enter where there are others", Fairness::Bounded,
                                     shared_lock_forms<Ahmcs>, {});
MXK_REGISTER(mxk_lock_kinds, LockKind, ahmcs);
constexpr LockKind rma_mcs = node_lock(
    "rma-mcs", "MCS in two levels, all by one-sided operations", Fairness::Bounded, one_sided_lock_forms<RmaMcs>,
    {.acquire = {{.home = 1, .near = 3}}, .release = {{.home = 1, .near = 2}}}, {.emulated = 40, .mpi = 50});
MXK_REGISTER(mxk_lock_kinds, LockKind, rma_mcs);

} // namespace
} // namespace mxk::locks
