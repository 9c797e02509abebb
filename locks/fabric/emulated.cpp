#include "locks/fabric/emulated.hpp"

#include <algorithm>

#include "arch/sections.hpp"
#include "base/inject.hpp"
#include "base/spin_wait.hpp"
#include "base/splitmix.hpp"
#include "kernel/clock.hpp"
#include "locks/fabric/simulated_workers.hpp"

namespace mxk::locks {
namespace {

// V: an integer, in place of what the word holds.
template <typename V> std::uint64_t operate_on(std::byte* at, WordOperation const& operation) {
    using Any [[gnu::may_alias]] = V;
    auto* const word = reinterpret_cast<Any*>(at);
    auto const value = static_cast<V>(operation.value);
    auto const order = static_cast<int>(operation.order);
    switch (operation.access) {
    case WordAccess::Swap: return __atomic_exchange_n(word, value, order);
    case WordAccess::Add: return __atomic_fetch_add(word, value, order);
    case WordAccess::Read: return __atomic_load_n(word, order);
    case WordAccess::CompareAndSwap: {
        Any expected = static_cast<V>(operation.expected);
        __atomic_compare_exchange_n(word, &expected, value, false, order, __ATOMIC_RELAXED);
        return expected;
    }
    case WordAccess::Put:
    case WordAccess::Accumulate:
    case WordAccess::AccumulateLater: break;
    }
    __atomic_store_n(word, value, order);
    return 0;
}

} // namespace

WorkerNumber current_worker() {
    if (SimulatedWorkers const* const simulated = SimulatedWorkers::current(); simulated != nullptr)
        return simulated->self();
    return static_cast<WorkerNumber>(index(arch::home_core()));
}

Result<Emulated> Emulated::create(LockTopology const& topology, std::size_t region_bytes, EmulatedTimes times) {
    Emulated emulated(region_bytes, times);
    emulated.workers_ = MXK_TRY(NodeVector<Worker>::create(topology.workers(), topology.memory_of(0)));
    emulated.regions_ = MXK_TRY(NodeVector<std::byte*>::create(topology.workers(), topology.memory_of(0)));
    for (WorkerNumber i = 0; i < topology.workers(); ++i) {
        auto region = MXK_TRY(NodeArray<std::byte>::create(region_bytes, topology.memory_of(i)));
        emulated.regions_.emplace(region.data());
        emulated.workers_.emplace(std::move(region));
    }
    emulated.open(topology, emulated.regions_.begin());
    return emulated;
}

std::uint64_t Emulated::operate(Target to, WordOperation const& operation) {
    go(to.worker);
    std::byte* const at = address(to.worker, to.at);
    std::uint64_t const before = operation.bytes == 1   ? operate_on<std::uint8_t>(at, operation)
                                 : operation.bytes == 2 ? operate_on<std::uint16_t>(at, operation)
                                 : operation.bytes == 4 ? operate_on<std::uint32_t>(at, operation)
                                                        : operate_on<std::uint64_t>(at, operation);
    Counters& counts = workers_[current_worker()].counts;
    (to.is_home ? counts.home : is_near(to.worker) ? counts.near : counts.others).add();
    come_back(to.worker);
    return before;
}

void Emulated::send(WorkerNumber to) {
    go(to);
    workers_[to].messages.fetch_add(1, std::memory_order_release); // pairs with receive()
    workers_[current_worker()].counts.messages.add();
    come_back(to);
}

void Emulated::receive() {
    Worker& own = workers_[current_worker()];
    // acquire: pairs with send(). Only the worker takes one away.
    while (own.messages.load(std::memory_order_acquire) == 0) progress();
    own.messages.fetch_sub(1, std::memory_order_relaxed);
}

void Emulated::progress() {
    if (SimulatedWorkers* const simulated = SimulatedWorkers::current(); simulated != nullptr)
        simulated->pass(draw(times_.look));
    else
        workers_[current_worker()].turn();
}

std::uint64_t Emulated::nanoseconds() const {
    if (SimulatedWorkers const* const simulated = SimulatedWorkers::current(); simulated != nullptr)
        return raw(simulated->now());
    return raw(clock::to_nanoseconds(clock::timestamp()));
}

void Emulated::Worker::turn() {
    if (++turns % 64 == 0)
        offer_processor();
    else
        __builtin_ia32_pause();
}

bool Emulated::is_near(WorkerNumber worker) const {
    return topology().node_of(worker) == topology().node_of(current_worker());
}

// Until the operation is done at its target.
void Emulated::go(WorkerNumber to) {
    inject::point();
    SimulatedWorkers* const simulated = SimulatedWorkers::current();
    if (simulated == nullptr) return;
    // Time passes in each loop.
    if (is_near(to)) return simulated->pass(std::max(draw(times_.near_latency), Nanoseconds{1}));
    simulated->pass(draw(times_.latency));
    Nanoseconds& busy_until = workers_[topology().first_of(Level::Node, topology().node_of(to))].busy_until;
    Nanoseconds const now = simulated->now();
    busy_until = Nanoseconds{raw(std::max(busy_until, now)) + raw(times_.service)};
    simulated->pass(Nanoseconds{raw(busy_until) - raw(now)});
}

void Emulated::come_back(WorkerNumber to) {
    if (SimulatedWorkers* const simulated = SimulatedWorkers::current(); simulated != nullptr && !is_near(to))
        simulated->pass(draw(times_.latency));
}

Nanoseconds Emulated::draw(Nanoseconds time) {
    std::uint64_t const eighth = raw(time) / 8;
    return Nanoseconds{raw(time) - eighth + splitmix(random_state_ += splitmix_step) % (2 * eighth + 1)};
}

} // namespace mxk::locks
