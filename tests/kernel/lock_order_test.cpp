// Locks that are first come, first served: workers that come one after the other, while somebody holds the lock, have
// it in the order of their coming. Over emulated regions, whose counts tell when a worker has joined the queue.
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/spin_wait.hpp"
#include "kernel/memory/node_vector.hpp"
#include "kernel/testing.hpp"
#include "locks/fabric/emulated.hpp"
#include "locks/fabric/stored_topology.hpp"
#include "locks/lock_kind.hpp"
#include "tasks/run_on.hpp"
#include "tasks/workers.hpp"
#include "tests/kernel/all_cores.hpp"
#include "tests/kernel/made_lock.hpp"
#include "tests/kernel/made_up_nodes.hpp"

namespace mxk {
namespace {

using locks::Emulated;
using locks::LockKind;
using locks::OneSidedCounts;

std::uint64_t all_of(OneSidedCounts const& counts) {
    return counts.home + counts.others + counts.near + counts.messages;
}

// How many were served out of order. The first core holds the lock until all others have joined.
std::size_t count_overtakes(LockKind const& kind, Emulated& emulated, std::span<CoreId const> cores) {
    locks::OneSided::Site const site(emulated);
    MadeLock lock(kind.forms.emulated, &site, cores.size());
    auto served = NodeVector<std::size_t>::create(cores.size(), Worker::current().node());
    bool const is_there = lock.is_there() && !emulated.has_failed() && served.ok();
    MXK_CHECK(is_there);
    if (!is_there) return 0;
    std::atomic<std::size_t> turn{0}; // the place that may come
    std::uint64_t const join = all_of(*kind.operations.join);
    MXK_CHECK(run_on(cores, [&](Worker&, std::size_t place) {
        for (SpinWait wait; turn.load(std::memory_order_acquire) != place;) wait.turn();
        if (place == 0) {
            lock.lock(0);
            for (std::size_t next = 1; next < cores.size(); ++next) {
                auto const worker = static_cast<locks::WorkerNumber>(index(cores[next]));
                std::uint64_t const joined = all_of(emulated.counts_of(worker)) + join;
                turn.store(next, std::memory_order_release);
                for (SpinWait wait; all_of(emulated.counts_of(worker)) != joined;) wait.turn();
            }
        } else {
            lock.lock(place);
            served.value().emplace(place); // under the lock
        }
        lock.unlock(place);
        return Step::Done;
    }));
    std::size_t overtakes = 0;
    for (std::size_t i = 0; i < served.value().size(); ++i) overtakes += served.value()[i] != i + 1 ? 1U : 0U;
    MXK_CHECK_EQUAL(served.value().size(), cores.size() - 1);
    return overtakes;
}

MXK_TEST(locks, first_come_is_first_served) {
    auto const cores = all_cores();
    if (cores.size() < 3) MXK_SKIP("needs a holder and two workers that wait");
    MadeUpNodes made(cores.span(), 2, 64 * KiB);
    MXK_REQUIRE(made.is_there());
    std::size_t kinds = 0;
    for (LockKind const* const kind : locks::registered_lock_kinds()) {
        if (!kind->forms.emulated.is_there() || kind->fairness != locks::Fairness::Fifo || !kind->operations.join)
            continue;
        made.emulated().forget_locks();
        MXK_CHECK_EQUAL(count_overtakes(*kind, made.emulated(), cores.span()), 0U);
        ++kinds;
    }
    MXK_CHECK(kinds >= 8); // mcs and its forms, clh-numa, dash
}

} // namespace
} // namespace mxk
