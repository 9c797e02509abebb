// Read-copy-update: that no callback runs while a reader may still use what was unlinked before, that none is left
// behind, and that readers who are preempted, end, or never pause do not hold it up. Those of HelenOS's rcu1
// have its names (one_cb, reader_preempt, synch, barrier, reader_exit, nop_readers, seq_check, nop_callbacks, stress,
// long_readers, expedite), with objects that are poisoned when they are reclaimed, so that a reader who is too late
// finds it out; they say how many grace periods they have used.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/log.hpp"
#include "base/spin_wait.hpp"
#include "kernel/clock.hpp"
#include "kernel/memory/per_core.hpp"
#include "kernel/sync/rcu/rcu.hpp"
#include "kernel/test_remark.hpp"
#include "kernel/testing.hpp"
#include "kernel/topology/system_topology.hpp"
#include "tasks/grace_turn.hpp"
#include "tasks/parallel.hpp"
#include "tasks/rcu_wait.hpp"
#include "tasks/stalled_core.hpp"
#include "tasks/start.hpp"
#include "tasks/threads/thread.hpp"
#include "tests/kernel/all_cores.hpp"
#include "tests/kernel/published.hpp"
#include "tests/kernel/resident.hpp"
#include "tests/kernel/thread_group.hpp"

namespace mxk {
namespace {

// Says that it has run, and that it was the one.
struct Cookie : rcu::Callback {
    static constexpr std::uint64_t valid = 0x600d'c00c'1e5a'fe00;
    Cookie() {
        function = [](Callback& self) {
            auto& cookie = static_cast<Cookie&>(self);
            cookie.was_valid = cookie.value == valid;
            cookie.has_run.store(true, std::memory_order_release);
        };
    }
    std::uint64_t value = valid;
    bool was_valid = false;
    std::atomic<bool> has_run{false};
};

void await(Cookie const& cookie) {
    wait_until([&] { return cookie.has_run.load(std::memory_order_acquire); });
    MXK_CHECK(cookie.was_valid);
}

// Says at the end how many grace periods a test has used.
class GracePeriodCount {
  public:
    GracePeriodCount() = default;
    GracePeriodCount(GracePeriodCount const&) = delete;
    GracePeriodCount& operator=(GracePeriodCount const&) = delete;
    ~GracePeriodCount() { inner_tests::remark(rcu::periods()->done() - before_, "grace periods"); }

  private:
    std::uint64_t before_ = rcu::periods()->done();
};

void let_time_pass(Nanoseconds time) {
    Cycles const until = clock::timestamp() + clock::to_cycles(time);
    wait_until([&] { return clock::timestamp() >= until; });
}
// As many grace periods as it takes to see that one does not end: other readers' end meanwhile.
constexpr Nanoseconds short_time{5'000'000};
void let_time_pass() {
    let_time_pass(short_time);
}
constexpr Nanoseconds long_time{1'000'000'000}; // of the original's tests

// The last core, which is not the console's if there are two.
CoreId last_core() {
    return core_id(workers::count() - 1);
}

void one_callback(Nanoseconds in_section) {
    GracePeriodCount const count;
    Cookie cookie;
    Resident reader;
    auto body = [&] {
        rcu::ReadSection const section;
        rcu::call(cookie, rcu::Haste::Soon);
        reader.stay(1);
        MXK_CHECK(!cookie.has_run.load());
    };
    ThreadGroup group(1);
    group.start({.core = last_core(), .name = "reader"}, body);
    reader.await(1);
    let_time_pass(in_section);
    MXK_CHECK(!cookie.has_run.load());
    reader.let_go();
    group.join();
    await(cookie);
}
MXK_TEST(rcu1, one_cb) {
    one_callback(short_time);
}
MXK_LONG_TEST(rcu1, one_cb_long) {
    one_callback(long_time);
}

// A reader of another core, whose slice is so long that it is only taken away where it yields: so often before the
// grace period begins, and so often while it goes on. `is_away_at_start`: it yields until that has begun.
struct PreemptCase {
    int before;
    int during;
    bool is_away_at_start = false;
    bool begins_in_it = false; // the section: the grace period need not wait for it
};
void preempt_reader(PreemptCase const& its) {
    if (workers::count() < 2) MXK_SKIP("one core, which begins the grace period");
    GracePeriodCount const count;
    Cookie cookie;
    std::atomic<bool> is_ready{false};
    std::atomic<std::uint64_t> number{0};
    auto const yield = [](int times) {
        for (int i = 0; i < times; ++i) this_thread::yield();
    };
    auto const await_beginning = [&] {
        is_ready.store(true, std::memory_order_release);
        std::uint64_t wanted = 0;
        for (SpinWait wait;
             (wanted = number.load(std::memory_order_acquire)) == 0 || rcu::periods()->begun() < wanted;) {
            if (its.is_away_at_start)
                this_thread::yield();
            else
                wait.turn();
        }
    };
    auto body = [&] {
        if (its.begins_in_it) await_beginning();
        rcu::ReadSection const outer;
        rcu::ReadSection const inner;
        yield(its.before);
        if (!its.begins_in_it) await_beginning();
        yield(its.during);
        if (!its.begins_in_it) MXK_CHECK(!cookie.has_run.load());
    };
    ThreadGroup group(1);
    group.start({.core = last_core(), .name = "reader", .slice = Thread::max_slice}, body);
    wait_until([&] { return is_ready.load(std::memory_order_acquire); });
    number.store(rcu::periods()->next(), std::memory_order_release);
    rcu::call(cookie, rcu::Haste::Soon);
    await(cookie);
    group.join();
}
MXK_TEST(rcu1, reader_preempt_before_it) {
    preempt_reader({.before = 1, .during = 0, .is_away_at_start = true});
}
MXK_TEST(rcu1, reader_preempt_during_it) {
    preempt_reader({.before = 0, .during = 1});
}
MXK_TEST(rcu1, reader_preempt_in_it) {
    preempt_reader({.before = 0, .during = 2, .begins_in_it = true});
}
MXK_TEST(rcu1, reader_preempt_before_not_during) {
    preempt_reader({.before = 1, .during = 0});
}
MXK_TEST(rcu1, reader_preempt_before_and_twice_during) {
    preempt_reader({.before = 1, .during = 2});
}

// By the ends of its slices, as often as they come.
MXK_TEST(rcu1, reader_preempt_by_slices) {
    GracePeriodCount const count;
    Cookie cookie;
    Resident reader;
    auto body = [&] {
        rcu::ReadSection const outer;
        rcu::ReadSection const inner;
        reader.stay(1); // for many slices
    };
    ThreadGroup group(1);
    group.start({.core = last_core(), .name = "reader"}, body);
    reader.await(1);
    let_time_pass();
    rcu::call(cookie, rcu::Haste::Now);
    let_time_pass();
    MXK_CHECK(!cookie.has_run.load());
    reader.let_go();
    await(cookie);
    group.join();
}

// Every section that begins after the grace period lets it end, however often its thread is preempted in one: between
// two of them there are a few instructions only.
MXK_TEST(rcu1, does_not_wait_for_sections_that_begin_later) {
    std::atomic<bool> stopped{false};
    std::atomic<std::size_t> sections{0};
    auto body = [&] {
        while (!stopped.load(std::memory_order_relaxed)) {
            rcu::ReadSection const section;
            Cycles const until = clock::timestamp() + clock::to_cycles(Nanoseconds{300'000});
            while (clock::timestamp() < until) {
            }
            sections.fetch_add(1, std::memory_order_relaxed);
        }
    };
    constexpr std::size_t readers = 3; // of one core
    ThreadGroup group(readers);
    for (std::size_t i = 0; i < readers; ++i)
        group.start({.core = last_core(), .name = "reader", .slice = Nanoseconds{200'000}}, body);
    wait_until([&] { return sections.load() > readers; });
    for (int time = 0; time < 10; ++time) {
        Cookie cookie;
        rcu::call(cookie, rcu::Haste::Soon);
        await(cookie);
    }
    stopped.store(true);
    group.join();
}

void synchronize_with_reader(Nanoseconds in_section) {
    GracePeriodCount const count;
    Resident reader;
    std::atomic<bool> has_left{false};
    std::atomic<bool> has_returned{false};
    auto read = [&] {
        {
            rcu::ReadSection const section;
            reader.stay(1);
            has_left.store(true);
        }
        reader.stay(2);
    };
    auto write = [&] {
        reader.spin_until(1);
        rcu::synchronize();
        MXK_CHECK(has_left.load());
        has_returned.store(true);
    };
    ThreadGroup group(2);
    group.start({.core = last_core(), .name = "reader"}, read);
    group.start({.core = core_id(0), .name = "writer"}, write);
    reader.await(1);
    let_time_pass(in_section);
    MXK_CHECK(!has_returned.load());
    reader.let_go();
    wait_until([&] { return has_returned.load(); });
    reader.await(2);
    reader.let_go();
    group.join();
}
MXK_TEST(rcu1, synch) {
    synchronize_with_reader(short_time);
}
MXK_LONG_TEST(rcu1, synch_long) {
    synchronize_with_reader(long_time);
}

MXK_TEST(rcu1, a_task_may_synchronize_and_runs_others_meanwhile) {
    std::uint64_t const before = rcu::periods()->done();
    rcu::synchronize();
    MXK_CHECK(rcu::periods()->done() > before);
    rcu::synchronize_expedited();
    MXK_CHECK(rcu::periods()->done() > before + 1);
}

MXK_TEST(rcu1, barrier) {
    GracePeriodCount const count;
    auto cookies = NodeVector<Cookie>::create(workers::count() * 3, Worker::current().node());
    MXK_CHECK(cookies.ok());
    if (!cookies) return;
    for (std::size_t i = 0; i < workers::count() * 3; ++i)
        rcu::periods()->call(core_id(i / 3), cookies.value().emplace(), rcu::Haste::Lazy);
    MXK_CHECK(rcu::barrier().ok());
    for (Cookie& cookie : cookies.value()) MXK_CHECK(cookie.has_run.load(std::memory_order_relaxed));
}

MXK_TEST(rcu1, reader_exit) {
    GracePeriodCount const count;
    auto body = [&] {
        for (int depth = 0; depth < 4; ++depth) arch::enter_section();
        this_thread::yield(); // counted, too
    };
    auto body_at_once = [&] { arch::enter_section(); };
    ThreadGroup group(2);
    group.start({.core = last_core(), .name = "leaver"}, body);
    group.start({.core = last_core(), .name = "leaver at once"}, body_at_once);
    group.join();
    rcu::synchronize();
}

// So many empty sections in a thread of each core.
void read_nothing(std::size_t sections) {
    auto body = [&] {
        for (std::size_t i = 0; i < sections; ++i) {
            rcu::ReadSection const outer;
            rcu::ReadSection const inner;
        }
    };
    ThreadGroup group(workers::count());
    for (std::size_t i = 0; i < workers::count(); ++i) group.start({.core = core_id(i), .name = "reader"}, body);
    for (int time = 0; time < 20; ++time) rcu::synchronize();
    group.join();
}
MXK_TEST(rcu1, nop_readers) {
    GracePeriodCount const count;
    for (std::size_t sections = 100; sections <= 10'000; sections *= 10) read_nothing(sections);
}
MXK_LONG_TEST(rcu1, nop_readers_long) {
    GracePeriodCount const count;
    for (std::size_t sections = 100; sections <= 10'000'000; sections *= 10) read_nothing(sections);
}

// Readers of all cores, whose sections take from a few rounds of a loop to very many, while grace periods go on.
void read_for_long(std::size_t iterations, std::size_t max_section) {
    GracePeriodCount const count;
    for (std::size_t section = 10; section <= max_section; section *= 10) {
        std::atomic<std::size_t> readers{workers::count()};
        auto body = [&] {
            for (std::size_t left = iterations; left > 0;) {
                rcu::ReadSection const reading;
                std::size_t const some = std::min(left, section);
                for (std::size_t i = 0; i < some; ++i) asm volatile("" ::: "memory");
                left -= some;
            }
            readers.fetch_sub(1, std::memory_order_relaxed);
        };
        auto writer = [&] {
            rcu::synchronize();
            while (readers.load(std::memory_order_relaxed) != 0) rcu::synchronize();
        };
        ThreadGroup group(workers::count() + 1);
        for (std::size_t i = 0; i < workers::count(); ++i) group.start({.core = core_id(i), .name = "reader"}, body);
        group.start({.core = core_id(0), .name = "writer"}, writer);
        group.join();
    }
}
MXK_TEST(rcu1, long_readers) {
    read_for_long(100'000, 100'000);
}
MXK_LONG_TEST(rcu1, long_readers_long) {
    read_for_long(100'000'000, 1'000'000);
}

// A callback that gives itself back, so often, one after the other.
struct ChainedCallback : rcu::Callback {
    ChainedCallback(std::size_t its_times, rcu::Haste its_haste)
        : left(its_times)
        , haste(its_haste) {
        function = [](rcu::Callback& self) {
            auto& chained = static_cast<ChainedCallback&>(self);
            if (chained.left.fetch_sub(1, std::memory_order_release) > 1) rcu::call(chained, chained.haste);
        };
    }
    void run() {
        rcu::call(*this, haste);
        wait_until([this] { return left.load(std::memory_order_acquire) == 0; });
    }
    std::atomic<std::size_t> left;
    rcu::Haste haste;
};
void expedite_chain(std::size_t expedited, std::size_t lazy) {
    GracePeriodCount const count;
    std::uint64_t const before = rcu::periods()->done();
    ChainedCallback(expedited, rcu::Haste::Now).run();
    MXK_CHECK(rcu::periods()->done() >= before + expedited);
    ChainedCallback(lazy, rcu::Haste::Lazy).run();
    MXK_CHECK(rcu::periods()->done() >= before + expedited + lazy);
}
MXK_TEST(rcu1, expedite) {
    expedite_chain(200, 10);
}
MXK_LONG_TEST(rcu1, expedite_long) {
    expedite_chain(1'000'000, 1000);
}

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
    MXK_CHECK(rcu::barrier().ok());
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
    void call(rcu::Callback& callback) const { rcu::call(callback, haste); }
    rcu::Haste haste;
};
std::size_t read_and_write(std::size_t replacements_per_writer, rcu::Haste haste) {
    return mxk::read_and_write(GracePeriodUse{haste}, replacements_per_writer);
}

MXK_TEST(rcu1, seq_check) {
    GracePeriodCount const count;
    MXK_CHECK_EQUAL(read_and_write(std::max<std::size_t>(400 / workers::count(), 10), rcu::Haste::Lazy), 0U);
}
MXK_TEST(rcu1, seq_check_expedited) {
    GracePeriodCount const count;
    MXK_CHECK_EQUAL(read_and_write(std::max<std::size_t>(200 / workers::count(), 5), rcu::Haste::Now), 0U);
}
MXK_LONG_TEST(rcu1, seq_check_long) {
    GracePeriodCount const count;
    MXK_CHECK_EQUAL(read_and_write(20'000, rcu::Haste::Lazy), 0U);
}

// The core's other tasks have their turns, too.
MXK_TEST(rcu1, a_task_that_waits_again_and_again_starves_no_other) {
    struct Counting : Task {
        Counting()
            : Task(&Counting::go_on) {}
        static void go_on(Worker& worker, Task& task) {
            auto& self = static_cast<Counting&>(task);
            ++self.turns;
            if (self.ends) return;
            worker.append(self);
        }
        std::size_t turns = 0;
        bool ends = false;
    };
    Counting other;
    Worker::current().append(other);
    for (int time = 0; time < 100; ++time) rcu::synchronize();
    MXK_CHECK(other.turns > 0);
    other.ends = true;
    std::size_t const before = other.turns;
    Worker::current().run_until([&] { return other.turns != before; });
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
    for (int time = 0; time < 200 && found == 0; ++time) found = read_and_write(20, rcu::Haste::Soon);
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
    MXK_CHECK(rcu::barrier().ok());
    for (std::size_t const run : runs.value()) MXK_CHECK_EQUAL(run, callbacks);
}
MXK_TEST(rcu1, nop_callbacks) {
    run_nop_callbacks(2000);
}
MXK_LONG_TEST(rcu1, nop_callbacks_long) {
    run_nop_callbacks(100'000);
}

// A coroutine goes on when nobody can be using what it has unlinked.
Coroutine<> reclaim_after_grace_period(std::atomic<std::uint32_t>& value, rcu::Haste haste, std::size_t& wrong) {
    std::uint64_t const before = rcu::periods()->next();
    CoreId const home = Worker::current().core();
    Worker& here = co_await rcu::after_grace_period(haste);
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
    MXK_CHECK(start(here, group, reclaim_after_grace_period(value, rcu::Haste::Soon, wrong)));
    let_time_pass();
    MXK_CHECK_EQUAL(value.load(), Published::valid);
    reader.let_go();
    group.wait();
    readers.join();
    MXK_CHECK(has_read.load());
    MXK_CHECK_EQUAL(value.load(), Published::poison);
    for (rcu::Haste const haste : {rcu::Haste::Lazy, rcu::Haste::Now}) {
        MXK_CHECK(start(here, group, reclaim_after_grace_period(value, haste, wrong)));
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
    MXK_CHECK(rcu::barrier().ok());
    MXK_CHECK_EQUAL(run.load(), callbacks);
}

// A task that goes on for long lets grace periods end where it says so.
MXK_TEST(rcu1, a_long_task_may_be_quiescent) {
    if (workers::count() < 2) MXK_SKIP("one core, which runs the test");
    struct LongTask : Task {
        LongTask()
            : Task(&LongTask::go_on) {}
        static void go_on(Worker&, Task& task) {
            auto& self = static_cast<LongTask&>(task);
            self.stage.store(1, std::memory_order_release);
            for (SpinWait wait; self.stage.load(std::memory_order_acquire) != 2;) wait.turn(); // one section
            while (self.stage.load(std::memory_order_acquire) != 3) rcu::quiescent();
            self.stage.store(4, std::memory_order_release);
        }
        std::atomic<int> stage{0};
    };
    LongTask task;
    Worker::current().append(task, last_core());
    wait_until([&] { return task.stage.load(std::memory_order_acquire) == 1; });
    Cookie cookie;
    rcu::call(cookie, rcu::Haste::Now);
    let_time_pass();
    MXK_CHECK(!cookie.has_run.load());
    task.stage.store(2, std::memory_order_release);
    await(cookie);
    task.stage.store(3, std::memory_order_release);
    wait_until([&] { return task.stage.load(std::memory_order_acquire) == 4; });
}

MXK_TEST(rcu1, a_grace_period_that_stalls_is_reported_once) {
    std::size_t const warnings = log::warning_count();
    Resident reader;
    auto body = [&] {
        rcu::ReadSection const section;
        reader.stay(1);
    };
    ThreadGroup group(1);
    group.start({.core = last_core(), .name = "stalling"}, body);
    reader.await(1);
    Cookie cookie;
    rcu::call(cookie, rcu::Haste::Soon);
    wait_until([&] { return log::warning_count() != warnings; });
    MXK_CHECK(!cookie.has_run.load());
    FixedText<200> what;
    describe_stalled_core(what, last_core());
    MXK_CHECK_EQUAL(what.view(), std::string_view("thread 'stalling' is in a read section"));
    let_time_pass();
    reader.let_go();
    await(cookie);
    group.join();
    MXK_CHECK_EQUAL(log::warning_count(), warnings + 1);
}

struct StallingTask : Task {
    StallingTask()
        : Task(&StallingTask::stall) {}
    static void stall(Worker&, Task& task) {
        auto& self = static_cast<StallingTask&>(task);
        self.stage.store(1, std::memory_order_release);
        for (SpinWait wait; self.stage.load(std::memory_order_acquire) != 2;) wait.turn();
        self.stage.store(3, std::memory_order_release);
    }
    std::atomic<int> stage{0};
};

MXK_TEST(rcu1, the_task_that_a_grace_period_waits_for_is_named) {
    if (workers::count() < 2) MXK_SKIP("one core, which runs the test");
    StallingTask task;
    Worker::current().append(task, last_core());
    wait_until([&] { return task.stage.load(std::memory_order_acquire) == 1; });
    FixedText<200> what;
    describe_stalled_core(what, last_core());
    MXK_CHECK(what.view().starts_with("the task that runs there is "));
    MXK_CHECK(what.view().ends_with("StallingTask::stall"));
    task.stage.store(2, std::memory_order_release);
    wait_until([&] { return task.stage.load(std::memory_order_acquire) == 3; });
}

// Cores that halt are waited for by nobody, and not woken.
MXK_TEST(rcu1, halted_cores_are_left_alone) {
    if (workers::count() < 2) MXK_SKIP("one core, which runs the test");
    rcu::CoreStatistics const& of_idle = rcu::periods()->of(last_core()).statistics();
    for (int time = 0; time < 200; ++time) {
        let_time_pass(); // it polls for a while before it halts
        std::uint64_t const answers = of_idle.answers.value();
        std::uint64_t const away = of_idle.away.value();
        rcu::synchronize();
        if (of_idle.away.value() == away) continue;
        return MXK_CHECK_EQUAL(of_idle.answers.value(), answers);
    }
    MXK_CHECK(false); // it was never found halted
}

} // namespace
} // namespace mxk
