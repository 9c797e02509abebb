// Locks of one word that all waiters look at, and tickets.
#include "locks/backoff.hpp"
#include "locks/lock_kind.hpp"
#include "locks/tas_lock.hpp"
#include "locks/ticket_lock.hpp"
#include "locks/tts_lock.hpp"

namespace mxk::locks {
namespace {

// The source's bounds for the lock of all, and for that of a node.
template <typename F> using PlainTas = Tas<F>;
template <typename F> using BackoffTas = Tas<F, Backoff<1, 256>>;
template <typename F> using PlainTts = Tts<F>;
template <typename F> using BackoffTts = Tts<F, Backoff<1024, 16384>>;
template <typename F> using PlainTicket = Ticket<F>;

constexpr LockKind tas{.name = "tas",
                       .summary = "test-and-set",
                       .fairness = Fairness::Unbounded,
                       .operations = {.acquire = {{.home = 1}}, .release = {{.home = 1}}},
                       .forms = lock_forms<PlainTas>};
MXK_REGISTER(mxk_lock_kinds, LockKind, tas);
constexpr LockKind tas_backoff{.name = "tas-backoff",
                               .summary = "test-and-set, waiting 1 to 256 ns after an attempt",
                               .fairness = Fairness::Unbounded,
                               .operations = {.acquire = {{.home = 1}}, .release = {{.home = 1}}},
                               .forms = lock_forms<BackoffTas>};
MXK_REGISTER(mxk_lock_kinds, LockKind, tas_backoff);
constexpr LockKind tts{.name = "tts",
                       .summary = "test and test-and-set",
                       .fairness = Fairness::Unbounded,
                       .operations = {.acquire = {{.home = 1}}, .release = {{.home = 1}}},
                       .forms = lock_forms<PlainTts>};
MXK_REGISTER(mxk_lock_kinds, LockKind, tts);
constexpr LockKind tts_backoff{.name = "tts-backoff",
                               .summary = "test and test-and-set, waiting 1 to 16 us after a look",
                               .fairness = Fairness::Unbounded,
                               .operations = {.acquire = {{.home = 1}}, .release = {{.home = 1}}},
                               .forms = lock_forms<BackoffTts>};
MXK_REGISTER(mxk_lock_kinds, LockKind, tts_backoff);
constexpr LockKind ticket{.name = "ticket",
                          .summary = "tickets, and one word that says whose turn it is",
                          .fairness = Fairness::Fifo,
                          .operations = {.acquire = {{.home = 2}}, .release = {{.home = 1}}},
                          .forms = lock_forms<PlainTicket>};
MXK_REGISTER(mxk_lock_kinds, LockKind, ticket);

} // namespace
} // namespace mxk::locks
