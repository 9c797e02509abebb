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

constexpr LockKind tas =
    flat_lock("tas", "test-and-set", Fairness::Unbounded, lock_forms<PlainTas>, one_each, {.smp = 10});
MXK_REGISTER(mxk_lock_kinds, LockKind, tas);
constexpr LockKind tas_backoff = flat_lock("tas-backoff", "test-and-set, waiting 1 to 256 ns after an attempt",
                                           Fairness::Unbounded, lock_forms<BackoffTas>, one_each);
MXK_REGISTER(mxk_lock_kinds, LockKind, tas_backoff);
constexpr LockKind tts =
    flat_lock("tts", "test and test-and-set", Fairness::Unbounded, lock_forms<PlainTts>, one_each, {.smp = 20});
MXK_REGISTER(mxk_lock_kinds, LockKind, tts);
constexpr LockKind tts_backoff = flat_lock("tts-backoff", "test and test-and-set, waiting 1 to 16 us after a look",
                                           Fairness::Unbounded, lock_forms<BackoffTts>, one_each);
MXK_REGISTER(mxk_lock_kinds, LockKind, tts_backoff);
constexpr LockKind ticket = flat_lock("ticket", "tickets, and one word that says whose turn it is", Fairness::Fifo,
                                      lock_forms<PlainTicket>, two_and_one, {.smp = 30});
MXK_REGISTER(mxk_lock_kinds, LockKind, ticket);

} // namespace
} // namespace mxk::locks
