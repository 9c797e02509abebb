#include "tasks/rcu/a_rcu.hpp"

#include <utility>

#include "arch/sections.hpp"
#include "base/fence.hpp"
#include "base/panic.hpp"
#include "kernel/remote_call.hpp"
#include "kernel/sync/rcu/rcu.hpp"
#include "kernel/topology/system_topology.hpp"
#include "tasks/worker.hpp"
#include "tasks/workers.hpp"

namespace mxk::a_rcu {
namespace {

constexpr Nanoseconds poll_time{10'000'000};
// With more callbacks of a core waiting than that, nobody sleeps.
constexpr std::size_t many_callbacks = 2000;

constinit Engine* the_engine = nullptr;
constinit Statistics of_ended_engines;

Statistics sum(Statistics const& a, Statistics const& b) {
    return {a.completed + b.completed, a.expedited + b.expedited, a.asked + b.asked, a.waited + b.waited};
}

void on_each_core(void (*function)()) {
    for (std::size_t i = 0; i < workers::count(); ++i) mxk::call_on(core_id(i), [function] { function(); });
}

// Waits in a thread for a number of callbacks.
struct Waiter {
    explicit Waiter(std::size_t callbacks)
        : left(callbacks) {}
    void count_down() {
        if (left.fetch_sub(1, std::memory_order_acq_rel) == 1) done.post();
    }
    std::atomic<std::size_t> left;
    Semaphore done{0};
};
struct WaiterCallback : rcu::Callback {
    explicit WaiterCallback(Waiter& its_waiter)
        : waiter(its_waiter) {
        function = [](rcu::Callback& self) { static_cast<WaiterCallback&>(self).waiter.count_down(); };
    }
    Waiter& waiter;
};

} // namespace

Statistics all_statistics() {
    return the_engine != nullptr ? sum(of_ended_engines, the_engine->statistics()) : of_ended_engines;
}

Result<void> Engine::start() {
    expect(the_engine == nullptr, "one engine of A-RCU at a time");
    cores_ = MXK_TRY(PerCore<Core>::create(system_topology().cores,
                                           [this](std::size_t place) { return Core(*this, core_id(place)); }));
    the_engine = this;
    // The numbers go on where an engine before has ended: cores compare with what they have acknowledged.
    static constinit std::uint64_t first = 0;
    first += std::uint64_t{1} << 32;
    begun_.store(first, std::memory_order_relaxed);
    done_.store(first, std::memory_order_relaxed);
    on_each_core(&arch::nests::watch);
    for (Core& core : cores_) core.reclaimer.emplace(MXK_TRY(Thread::create({.core = core.id, .name = "a-rcu"}, core)));
    return {};
}

Engine::~Engine() {
    if (the_engine != this) return;
    stopping_.store(true, std::memory_order_relaxed); // the post publishes it
    for (Core& core : cores_) core.arrived.post();
    for (Core& core : cores_) core.reclaimer.reset(); // joins
    on_each_core(&arch::nests::ignore);
    of_ended_engines = sum(of_ended_engines, statistics());
    the_engine = nullptr;
}

void Engine::call(rcu::Callback& callback, bool is_expedited) {
    call_on(arch::home_core(), callback, is_expedited);
}

void Engine::call_on(CoreId core_id, rcu::Callback& callback, bool is_expedited) {
    Core& core = cores_[core_id];
    if (is_expedited) core.wants_expedited.store(true, std::memory_order_relaxed); // the push publishes it
    if (core.arriving.push(callback)) core.arrived.post();
}

void Engine::synchronize(bool is_expedited) {
    expect(!arch::is_in_nest(), "nobody waits for a grace period in a read section");
    Waiter waiter(1);
    WaiterCallback callback(waiter);
    call(callback, is_expedited);
    waiter.done.wait();
}

// A core runs its callbacks in the order in which it got them.
Result<void> Engine::barrier() {
    expect(!arch::is_in_nest(), "nobody waits for a grace period in a read section");
    Waiter waiter(workers::count());
    auto callbacks =
        MXK_TRY(NodeVector<WaiterCallback>::create(workers::count(), workers::of(arch::home_core()).node()));
    for (std::size_t i = 0; i < workers::count(); ++i) call_on(core_id(i), callbacks.emplace(waiter));
    waiter.done.wait();
    return {};
}

Statistics Engine::statistics() const {
    return {.completed = done() & 0xffff'ffff,
            .expedited = expedited_.load(std::memory_order_relaxed),
            .asked = asked_.load(std::memory_order_relaxed),
            .waited = waited_.load(std::memory_order_relaxed)};
}

void Engine::Core::operator()() {
    for (;;) {
        run_due();
        shift();
        if (!current.empty()) {
            engine.wait_for(current_for, is_expedited);
        } else if (!next.empty()) {
            engine.wait_for(engine.done() + 1, is_expedited);
        } else {
            arrived.wait();
            if (engine.stopping_.load(std::memory_order_relaxed) && arriving.empty()) return;
        }
    }
}

void Engine::Core::run_due() {
    std::uint64_t const done = engine.done();
    auto const run = [](rcu::CallbackList& list) {
        while (rcu::Callback* const callback = list.take()) callback->function(*callback);
    };
    if (done >= current_for) run(current);
    if (done >= next_for) run(next);
}

void Engine::Core::shift() {
    if (current.empty() && !next.empty()) {
        current.append(next);
        current_for = next_for;
    }
    if (!next.empty()) return;
    rcu::Callback* oldest = arriving.take_oldest_first();
    while (oldest != nullptr) next.append(*std::exchange(oldest, oldest->next));
    is_expedited = next.size() > many_callbacks || wants_expedited.exchange(false, std::memory_order_relaxed);
    if (next.empty()) return;
    store_load_fence(); // what the callers have unlinked is unlinked before the next one begins
    next_for = engine.begun() + 1;
}

void Engine::wait_for(std::uint64_t number, bool is_expedited) {
    mutex_.lock();
    while (done() < number) {
        if (begun() != done()) {
            if (is_expedited && !is_expedited_) {
                is_expedited_ = true;
                hurry_.notify_all();
            }
            ended_.wait(mutex_);
            continue;
        }
        is_expedited_ = is_expedited;
        std::uint64_t const now = begun() + 1;
        // First, so that who still finds the one before is waited for: nobody can have acknowledged this one by then.
        begun_.store(now, std::memory_order_seq_cst);
        arch::nests::begin(now);
        detect();
        done_.store(now, std::memory_order_release);
        if (is_expedited_) expedited_.fetch_add(1, std::memory_order_relaxed);
        ended_.notify_all();
    }
    mutex_.unlock();
}

// With the mutex, which it gives away while it sleeps.
void Engine::detect() {
    store_load_fence(); // a core that is found halted finds unlinked what was unlinked before
    for (Core& core : cores_) core.is_missing = true;
    drop_quiescent();
    while (some_are_missing()) {
        if (is_expedited_) {
            mutex_.unlock();
            this_thread::yield();
            mutex_.lock();
        } else {
            [[maybe_unused]] auto const notified = hurry_.wait_for(mutex_, poll_time);
        }
        drop_quiescent();
        for (Core& core : cores_) {
            if (!core.is_missing) continue;
            asked_.fetch_add(1, std::memory_order_relaxed);
            core.is_missing = !arch::nests::ask(core.id);
        }
    }
    if (!arch::nests::await_readers(&Engine::post_last_reader)) return;
    waited_.fetch_add(1, std::memory_order_relaxed);
    mutex_.unlock();
    last_reader_.wait();
    mutex_.lock();
}

// With interrupts off, and maybe in a handler: it must need no vector register.
void Engine::post_last_reader() {
    the_engine->last_reader_.post_from_interrupt();
}

void Engine::drop_quiescent() {
    for (Core& core : cores_) {
        bool const is_idle =
            rcu::periods()->of(core.id).is_halted() && arch::halts_quietly(core.id) && !arch::threads_live_on(core.id);
        if (is_idle || arch::nests::has_acknowledged(core.id)) core.is_missing = false;
    }
}

bool Engine::some_are_missing() const {
    for (Core const& core : cores_)
        if (core.is_missing) return true;
    return false;
}

} // namespace mxk::a_rcu
