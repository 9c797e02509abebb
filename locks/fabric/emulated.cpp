#include "locks/fabric/emulated.hpp"

#include <algorithm>

#include "arch/sections.hpp"
#include "base/inject.hpp"
#include "base/spin_wait.hpp"
#include "kernel/clock.hpp"

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
    delay(to.worker);
    std::byte* const at = address(to.worker, to.at);
    std::uint64_t const before = operation.bytes == 1   ? operate_on<std::uint8_t>(at, operation)
                                 : operation.bytes == 2 ? operate_on<std::uint16_t>(at, operation)
                                 : operation.bytes == 4 ? operate_on<std::uint32_t>(at, operation)
                                                        : operate_on<std::uint64_t>(at, operation);
    Counters& counts = workers_[current_worker()].counts;
    (to.is_home ? counts.home : is_near(to.worker) ? counts.near : counts.others).add();
    return before;
}

void Emulated::send(WorkerNumber to) {
    delay(to);
    workers_[to].messages.fetch_add(1, std::memory_order_release); // pairs with receive()
    workers_[current_worker()].counts.messages.add();
}

void Emulated::receive() {
    Worker& own = workers_[current_worker()];
    // acquire: pairs with send(). Only the worker takes one away.
    for (SpinWait wait; own.messages.load(std::memory_order_acquire) == 0;) wait.turn();
    own.messages.fetch_sub(1, std::memory_order_relaxed);
}

std::uint64_t Emulated::nanoseconds() const {
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

void Emulated::delay(WorkerNumber to) const {
    inject::point();
    bool const near = is_near(to);
    Cycles const time = near ? times_.near_latency : times_.latency;
    if (time == Cycles{} && (near || times_.service == Cycles{})) return;
    Cycles const end = (near ? clock::timestamp() : turn_at(to)) + time;
    while (clock::timestamp() < end) workers_[current_worker()].turn();
}

// When the target's node is free for this operation: nodes have one network card.
Cycles Emulated::turn_at(WorkerNumber to) const {
    Cycles const now = clock::timestamp();
    if (times_.service == Cycles{}) return now;
    WorkerNumber const card = topology().first_of(Level::Node, topology().node_of(to));
    std::atomic<std::uint64_t>& busy_until = workers_[card].busy_until;
    std::uint64_t before = busy_until.load(std::memory_order_relaxed);
    for (;;) {
        std::uint64_t const begin = std::max(before, raw(now));
        // relaxed: only times
        if (busy_until.compare_exchange_weak(before, begin + raw(times_.service), std::memory_order_relaxed))
            return Cycles{begin};
    }
}

} // namespace mxk::locks
