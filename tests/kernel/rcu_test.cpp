// Read-copy-update: that no callback runs while a reader may still use what was unlinked before, and that readers who
// are preempted, end, or never pause do not hold it up. Those of HelenOS's rcu1 have its names (one_cb, reader_preempt,
// synch, barrier, reader_exit, nop_readers, long_readers, expedite), and say how many grace periods they have used.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/spin_wait.hpp"
#include "kernel/clock.hpp"
#include "kernel/sync/rcu/rcu.hpp"
#include "kernel/testing.hpp"
#include "tasks/rcu/rcu_wait.hpp"
#include "tasks/threads/thread.hpp"
#include "tests/kernel/all_cores.hpp"
#include "tests/kernel/rcu_cookie.hpp"
#include "tests/kernel/resident.hpp"
#include "tests/kernel/thread_group.hpp"

namespace mxk {
namespace {

void one_callback(Nanoseconds in_section) {
    GracePeriodCount const count;
    Cookie cookie;
    Resident reader;
    auto body = [&] {
        rcu::ReadSection const section;
        rcu::call(cookie, rcu::Urgency::Next);
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

// A reader of another core, whose slice is so long that it is only preempted where it yields: so often before the
// grace period begins, and so often while it goes on. `is_away_at_start`: it yields until that has begun.
struct PreemptCase {
    int before;
    int during;
    bool is_away_at_start = false;
    bool begins_in_it = false; // the section: the grace period may wait for it, and may not
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
    rcu::call(cookie, rcu::Urgency::Next);
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
    rcu::call(cookie, rcu::Urgency::Expedited);
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
        rcu::call(cookie, rcu::Urgency::Next);
        await(cookie);
    }
    stopped.store(true);
    group.join();
}

void synchronize_with_reader(Nanoseconds in_section) {
    GracePeriodCount const count;
    Resident reader;
    std::atomic<bool> has_left{false};
    std::atomic<bool> is_writing{false};
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
        is_writing.store(true);
        rcu::synchronize();
        MXK_CHECK(has_left.load());
        has_returned.store(true);
    };
    ThreadGroup group(2);
    group.start({.core = last_core(), .name = "reader"}, read);
    reader.await(1);
    group.start({.core = core_id(0), .name = "writer"}, write);
    wait_until([&] { return is_writing.load(); }); // on a busy host it may come late
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
    MXK_REQUIRE(cookies.ok());
    for (std::size_t i = 0; i < workers::count() * 3; ++i)
        rcu::periods()->call(core_id(i / 3), cookies.value().emplace(), rcu::Urgency::Batched);
    MXK_CHECK(rcu::barrier().ok());
    for (Cookie& cookie : cookies.value()) MXK_CHECK(cookie.has_run.load(std::memory_order_relaxed));
    for (Cookie& cookie : cookies.value()) await(cookie); // they are called also where there is no memory for a barrier
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
    ChainedCallback(std::size_t its_times, rcu::Urgency its_urgency)
        : left(its_times)
        , urgency(its_urgency) {
        function = [](rcu::Callback& self) {
            auto& chained = static_cast<ChainedCallback&>(self);
            if (chained.left.fetch_sub(1, std::memory_order_release) > 1) rcu::call(chained, chained.urgency);
        };
    }
    void run() {
        rcu::call(*this, urgency);
        wait_until([this] { return left.load(std::memory_order_acquire) == 0; });
    }
    std::atomic<std::size_t> left;
    rcu::Urgency urgency;
};
void expedite_chain(std::size_t expedited, std::size_t batched) {
    GracePeriodCount const count;
    std::uint64_t const before = rcu::periods()->done();
    ChainedCallback(expedited, rcu::Urgency::Expedited).run();
    MXK_CHECK(rcu::periods()->done() >= before + expedited);
    ChainedCallback(batched, rcu::Urgency::Batched).run();
    MXK_CHECK(rcu::periods()->done() >= before + expedited + batched);
}
MXK_TEST(rcu1, expedite) {
    expedite_chain(200, 10);
}
MXK_LONG_TEST(rcu1, expedite_long) {
    expedite_chain(1'000'000, 1000);
}

} // namespace
} // namespace mxk
