// Read-copy-update: the callbacks. That none is left behind, runs too early or outruns its limit; seq_check,
// nop_callbacks and stress have the names of HelenOS's rcu1. Objects are poisoned when they are reclaimed, so that a
// reader who is too late finds it out; and where grace periods are broken on purpose, it must.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "kernel/clock.hpp"
#include "kernel/memory/per_core.hpp"
#include "kernel/sync/rcu/rcu.hpp"
#include "kernel/testing.hpp"
#include "kernel/topology/system_topology.hpp"
#include "tasks/rcu/grace_turn.hpp"
#include "tasks/rcu/rcu_wait.hpp"
#include "tasks/run_on.hpp"
#include "tasks/start.hpp"
#include "tasks/threads/thread.hpp"
#include "tests/kernel/all_cores.hpp"
#include "tests/kernel/published.hpp"
#include "tests/kernel/rcu_cookie.hpp"
#include "tests/kernel/resident.hpp"
#include "tests/kernel/thread_group.hpp"

namespace mxk {
namespace {

// A reader on each core, and a thread that gives callbacks which take 5 us each, as fast as it is let.
struct SlowCallback : rcu::Callback {
    SlowCallback() {
        function = [](rcu::Callback& self) {
            auto& slow = static_cast<SlowCallback&>(self);
            Cycles const until = clock::timestamp() + clock::to_cycles(Nanoseconds{5'000});
            while (clock::timestamp() < until) {
            }
            slow.runs.fetch_add(1, std::memory_order_relaxed);
            slow.is_free.store(true, std::memory_order_release);
        };
    }
    std::atomic<std::size_t> runs{0};
    std::atomic<bool> is_free{true};
};
void stress_callbacks(std::size_t callbacks) {
    GracePeriodCount const count;
    constexpr std::size_t at_once = 256; // of a core: half of them wait at a time
    auto pools = NodeVector<std::array<SlowCallback, at_once>>::create(workers::count(), Worker::current().node());
    MXK_CHECK(pools.ok());
    if (!pools) return;
    for (std::size_t i = 0; i < workers::count(); ++i) pools.value().emplace();
    std::atomic<std::size_t> updaters{workers::count()};
    std::atomic<std::size_t> next_pool{0};
    std::atomic<std::size_t> outrun{0};
    auto read = [&] {
        while (updaters.load(std::memory_order_relaxed) != 0) rcu::ReadSection const section;
    };
    auto update = [&] {
        auto& pool = pools.value()[next_pool.fetch_add(1)];
        {
            rcu::Throttle throttle(at_once);
            for (std::size_t i = 0; i < callbacks; ++i) {
                SlowCallback& one = pool[i % at_once]; // NOLINT(*-constant-array-index)
                // The throttle lets no more wait than there are.
                if (!one.is_free.exchange(false, std::memory_order_acquire)) outrun.fetch_add(1);
                throttle.call(one);
            }
        }
        updaters.fetch_sub(1);
    };
    ThreadGroup group(2 * workers::count());
    for (std::size_t i = 0; i < workers::count(); ++i) {
        group.start({.core = core_id(i), .name = "reader"}, read);
        group.start({.core = core_id(i), .name = "updater"}, update);
    }
    group.join();
    while (!rcu::barrier().ok()) MXK_CHECK(false); // no memory: once more, since callbacks use what ends here
    MXK_CHECK_EQUAL(outrun.load(), 0U);
    std::size_t runs = 0;
    for (auto& pool : pools.value())
        for (SlowCallback& one : pool) runs += one.runs.load(std::memory_order_relaxed);
    MXK_CHECK_EQUAL(runs, workers::count() * callbacks);
}
MXK_TEST(rcu1, stress) {
    stress_callbacks(std::max<std::size_t>(2000 / workers::count(), 300));
}
MXK_LONG_TEST(rcu1, stress_long) {
    stress_callbacks(1'000'000);
}

// As tests/kernel/published.hpp asks for it.
struct GracePeriodUse {
    using ThreadSection = rcu::ReadSection;
    using TaskSection = rcu::TaskReadSection;
    void call(rcu::Callback& callback) const { rcu::call(callback, urgency); }
    rcu::Urgency urgency;
};
std::size_t read_and_write(std::size_t replacements_per_writer, rcu::Urgency urgency) {
    return mxk::read_and_write(GracePeriodUse{urgency}, replacements_per_writer);
}

MXK_TEST(rcu1, seq_check) {
    GracePeriodCount const count;
    MXK_CHECK_EQUAL(read_and_write(std::max<std::size_t>(400 / workers::count(), 10), rcu::Urgency::Batched), 0U);
}
MXK_TEST(rcu1, seq_check_expedited) {
    GracePeriodCount const count;
    MXK_CHECK_EQUAL(read_and_write(std::max<std::size_t>(200 / workers::count(), 5), rcu::Urgency::Expedited), 0U);
}
MXK_LONG_TEST(rcu1, seq_check_long) {
    GracePeriodCount const count;
    MXK_CHECK_EQUAL(read_and_write(20'000, rcu::Urgency::Batched), 0U);
}

// Grace periods that somebody ends for the other cores as soon as they begin: seq_check finds it out.
MXK_TEST(rcu1, a_broken_grace_period_is_found_out) {
    if (workers::count() < 2 && !Thread::has_slices())
        MXK_SKIP("one core, whose threads and tasks the system lets run as it likes");
    std::atomic<bool> stopped{false};
    auto break_them = [&] {
        rcu::GracePeriods& periods = *rcu::periods();
        while (!stopped.load(std::memory_order_relaxed)) {
            std::uint64_t const number = periods.begun();
            for (rcu::GracePeriods::Core& core : periods.cores())
                if (periods.done() < number) periods.answer(core, number);
            this_thread::yield();
        }
    };
    ThreadGroup group(1);
    group.start({.core = last_core(), .name = "saboteur"}, break_them);
    std::size_t found = 0;
    for (int time = 0; time < 2000 && found == 0; ++time) found = read_and_write(20, rcu::Urgency::Next);
    MXK_CHECK(found > 0);
    stopped.store(true);
    group.join();
}

// More callbacks than run in a turn, of all cores, while nobody reads.
void run_nop_callbacks(std::size_t callbacks) {
    GracePeriodCount const count;
    auto nops = NodeVector<rcu::Callback>::create(callbacks * workers::count(), Worker::current().node());
    auto runs = PerCore<std::size_t>::create(system_topology().cores, [] { return std::size_t{0}; });
    MXK_CHECK(nops.ok() && runs.ok());
    if (!nops || !runs) return;
    static PerCore<std::size_t>* counted; // a callback knows nothing but itself
    counted = &runs.value();
    for (std::size_t i = 0; i < callbacks * workers::count(); ++i) nops.value().emplace();
    bool const ran = run_on(all_cores().span(), [&](Worker&, std::size_t place) {
        for (std::size_t i = 0; i < callbacks; ++i) {
            rcu::Callback& nop = nops.value()[place * callbacks + i];
            nop.function = [](rcu::Callback&) { ++(*counted)[arch::core_local().id]; };
            rcu::call(nop);
        }
        return Step::Done;
    });
    MXK_CHECK(ran);
    while (!rcu::barrier().ok()) MXK_CHECK(false); // no memory: once more, since callbacks use what ends here
    for (std::size_t const run : runs.value()) MXK_CHECK_EQUAL(run, callbacks);
}
MXK_TEST(rcu1, nop_callbacks) {
    run_nop_callbacks(2000);
}
MXK_LONG_TEST(rcu1, nop_callbacks_long) {
    run_nop_callbacks(100'000);
}

// A coroutine goes on when nobody can be using what it has unlinked.
Coroutine<> reclaim_after_grace_period(std::atomic<std::uint32_t>& value, rcu::Urgency urgency, std::size_t& wrong) {
    std::uint64_t const before = rcu::periods()->next();
    CoreId const home = Worker::current().core();
    Worker& here = co_await rcu::after_grace_period(urgency);
    if (rcu::periods()->done() < before || here.core() != home) ++wrong;
    value.store(Published::poison, std::memory_order_relaxed);
}
MXK_TEST(rcu1, a_coroutine_awaits_a_grace_period) {
    GracePeriodCount const count;
    std::atomic<std::uint32_t> value{Published::valid};
    std::atomic<bool> has_read{false};
    Resident reader;
    auto body = [&] {
        rcu::ReadSection const section;
        reader.stay(1);
        has_read.store(value.load(std::memory_order_relaxed) == Published::valid);
    };
    ThreadGroup readers(1);
    readers.start({.core = last_core(), .name = "reader"}, body);
    reader.await(1);
    Worker& here = Worker::current();
    std::size_t wrong = 0;
    TaskGroup group(here);
    MXK_CHECK(start(here, group, reclaim_after_grace_period(value, rcu::Urgency::Next, wrong)));
    let_time_pass();
    MXK_CHECK_EQUAL(value.load(), Published::valid);
    reader.let_go();
    group.wait();
    readers.join();
    MXK_CHECK(has_read.load());
    MXK_CHECK_EQUAL(value.load(), Published::poison);
    for (rcu::Urgency const urgency : {rcu::Urgency::Batched, rcu::Urgency::Expedited}) {
        MXK_CHECK(start(here, group, reclaim_after_grace_period(value, urgency, wrong)));
        group.wait();
    }
    MXK_CHECK_EQUAL(wrong, 0U);
}

// Of the callbacks of a thread that is held back no more wait than it says.
MXK_TEST(rcu1, a_thread_is_held_back) {
    GracePeriodCount const count;
    constexpr std::size_t limit = 100;
    constexpr std::size_t callbacks = 20'000;
    struct Counted : rcu::Callback {
        std::atomic<std::size_t>* run = nullptr;
    };
    auto pool = NodeVector<Counted>::create(callbacks, Worker::current().node());
    MXK_CHECK(pool.ok());
    if (!pool) return;
    std::atomic<std::size_t> run{0};
    std::size_t max_waiting = 0;
    auto body = [&] {
        rcu::Throttle throttle(limit);
        for (std::size_t i = 0; i < callbacks; ++i) {
            Counted& one = pool.value().emplace();
            one.run = &run;
            one.function = [](rcu::Callback& self) {
                static_cast<Counted&>(self).run->fetch_add(1, std::memory_order_relaxed);
            };
            throttle.call(one);
            max_waiting = std::max(max_waiting, i + 1 - run.load(std::memory_order_relaxed));
        }
    };
    ThreadGroup group(1);
    group.start({.core = last_core(), .name = "giver"}, body);
    group.join();
    MXK_CHECK(max_waiting <= limit);
    MXK_CHECK(max_waiting > 1);
    while (!rcu::barrier().ok()) MXK_CHECK(false); // no memory: once more, since callbacks use what ends here
    MXK_CHECK_EQUAL(run.load(), callbacks);
}

} // namespace
} // namespace mxk
