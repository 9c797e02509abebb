// Read-copy-update: that no callback runs while a reader may still use what was unlinked before, that none is left
// behind, and that readers who are preempted, end, or never pause do not hold it up. The list of the tests is that of
// HelenOS's rcu1, with the objects poisoned when they are reclaimed, so that a reader who is too late finds it out.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/log.hpp"
#include "base/spin_wait.hpp"
#include "kernel/clock.hpp"
#include "kernel/memory/per_core.hpp"
#include "kernel/sync/rcu/rcu.hpp"
#include "kernel/testing.hpp"
#include "kernel/topology/system_topology.hpp"
#include "tasks/parallel.hpp"
#include "tasks/rcu_wait.hpp"
#include "tasks/stalled_core.hpp"
#include "tasks/threads/thread.hpp"
#include "tests/kernel/all_cores.hpp"
#include "tests/kernel/noise.hpp"
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

// As many grace periods as it takes to see that one does not end: other readers' end meanwhile.
void let_time_pass() {
    Cycles const until = clock::timestamp() + clock::to_cycles(Nanoseconds{5'000'000});
    wait_until([&] { return clock::timestamp() >= until; });
}

// The last core, which is not the console's if there are two.
CoreId last_core() {
    return core_id(workers::count() - 1);
}

MXK_TEST(rcu1, a_callback_runs_after_the_reader_who_gave_it) {
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
    let_time_pass();
    MXK_CHECK(!cookie.has_run.load());
    reader.let_go();
    group.join();
    await(cookie);
}

// A reader who is taken away in its section: before the grace period begins, or in it, or both.
MXK_TEST(rcu1, waits_for_a_reader_who_was_preempted_before_it_began) {
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

MXK_TEST(rcu1, synchronize_returns_after_the_readers_of_before) {
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
    let_time_pass();
    MXK_CHECK(!has_returned.load());
    reader.let_go();
    wait_until([&] { return has_returned.load(); });
    reader.await(2);
    reader.let_go();
    group.join();
}

MXK_TEST(rcu1, a_task_may_synchronize_and_runs_others_meanwhile) {
    std::uint64_t const before = rcu::periods()->done();
    rcu::synchronize();
    MXK_CHECK(rcu::periods()->done() > before);
    rcu::synchronize_expedited();
    MXK_CHECK(rcu::periods()->done() > before + 1);
}

MXK_TEST(rcu1, a_barrier_waits_for_all_callbacks_of_all_cores) {
    auto cookies = NodeVector<Cookie>::create(workers::count() * 3, Worker::current().node());
    MXK_CHECK(cookies.ok());
    if (!cookies) return;
    for (std::size_t i = 0; i < workers::count() * 3; ++i)
        rcu::periods()->call(core_id(i / 3), cookies.value().emplace(), rcu::Haste::Lazy);
    MXK_CHECK(rcu::barrier().ok());
    for (Cookie& cookie : cookies.value()) MXK_CHECK(cookie.has_run.load(std::memory_order_relaxed));
}

MXK_TEST(rcu1, a_thread_that_ends_in_a_section_holds_nothing_up) {
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

MXK_TEST(rcu1, many_empty_sections) {
    constexpr std::size_t sections = 100'000;
    auto body = [] {
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

// An object is found by way of `current` until another one takes its place; it is poisoned when it is reclaimed, and
// used again later. Of each writer some hundred.
struct Published {
    static constexpr std::uint32_t valid = 0x900d;
    static constexpr std::uint32_t poison = 0xdead;
    struct Object : rcu::Callback {
        std::atomic<std::uint32_t> value{poison};
        std::atomic<bool> is_free{true};
        std::atomic<std::size_t>* reclaimed = nullptr;
    };
    std::atomic<Object*> current{nullptr};
    std::atomic<std::size_t> wrong{0};

    void read(std::size_t steps) {
        read(steps, [] {});
    }
    // pause(): in the middle of it, with the object in hand.
    template <typename Pause> void read(std::size_t steps, Pause pause) {
        Object const* const object = current.load(std::memory_order_acquire);
        if (object == nullptr) return;
        check(*object, steps);
        pause();
        check(*object, steps);
    }
    void check(Object const& object, std::size_t steps) {
        for (std::size_t i = 0; i < steps; ++i)
            if (object.value.load(std::memory_order_relaxed) != valid) wrong.fetch_add(1, std::memory_order_relaxed);
    }
    // False: none of these is free.
    template <typename Objects> bool replace(Objects& objects, std::atomic<std::size_t>& reclaimed, rcu::Haste haste) {
        for (Object& object : objects) {
            if (!object.is_free.load(std::memory_order_acquire)) continue;
            object.is_free.store(false, std::memory_order_relaxed);
            object.value.store(valid, std::memory_order_relaxed);
            object.reclaimed = &reclaimed;
            retire(current.exchange(&object, std::memory_order_acq_rel), haste);
            return true;
        }
        return false;
    }
    static void retire(Object* object, rcu::Haste haste) {
        if (object == nullptr) return;
        object->function = [](rcu::Callback& self) {
            auto& it = static_cast<Object&>(self);
            it.value.store(poison, std::memory_order_relaxed);
            it.reclaimed->fetch_add(1, std::memory_order_relaxed);
            it.is_free.store(true, std::memory_order_release);
        };
        rcu::call(*object, haste);
    }
};

// Tasks and threads read, tasks and threads replace, each on every core. How often a reader has found what was given
// back.
std::size_t read_and_write(std::size_t replacements_per_writer, rcu::Haste haste) {
    constexpr std::size_t objects_per_writer = 40;
    Published published;
    std::atomic<std::size_t> reclaimed{0};
    std::atomic<std::size_t> replaced{0};
    std::atomic<std::size_t> writers_left{2 * workers::count()};
    using Objects = std::array<Published::Object, objects_per_writer>;
    auto objects = NodeVector<Objects>::create(2 * workers::count(), Worker::current().node());
    MXK_CHECK(objects.ok());
    if (!objects) return 0;
    for (std::size_t i = 0; i < 2 * workers::count(); ++i) objects.value().emplace();
    {
        Noise const noise(2000);
        auto read = [&] {
            while (writers_left.load(std::memory_order_relaxed) != 0) {
                rcu::ReadSection const section;
                published.read(50, &this_thread::yield); // others run, and replace it
            }
        };
        auto next_objects = std::atomic<std::size_t>{0};
        auto write = [&] {
            Objects& mine = objects.value()[next_objects.fetch_add(1)];
            for (std::size_t done = 0; done < replacements_per_writer;) {
                if (!published.replace(mine, reclaimed, haste)) {
                    this_thread::yield();
                    continue;
                }
                ++done;
                replaced.fetch_add(1, std::memory_order_relaxed);
            }
            writers_left.fetch_sub(1);
        };
        ThreadGroup group(2 * workers::count());
        for (std::size_t i = 0; i < workers::count(); ++i) {
            group.start({.core = core_id(i), .name = "reader", .slice = Nanoseconds{100'000}}, read);
            group.start({.core = core_id(i), .name = "writer", .slice = Nanoseconds{100'000}}, write);
        }
        auto left = PerCore<std::size_t>::create(system_topology().cores, [&] { return replacements_per_writer; });
        MXK_CHECK(left.ok());
        bool const ran = left.ok() && run_on(all_cores().span(), [&](Worker&, std::size_t place) {
                             published.read(20); // the body is a section
                             Objects& mine = objects.value()[workers::count() + place];
                             if (!published.replace(mine, reclaimed, haste)) return Step::Again;
                             replaced.fetch_add(1, std::memory_order_relaxed);
                             published.read(20);
                             if (--left.value()[place] != 0) return Step::Again;
                             writers_left.fetch_sub(1);
                             return Step::Done;
                         });
        MXK_CHECK(ran);
        group.join();
    }
    Published::retire(published.current.exchange(nullptr), haste);
    MXK_CHECK(rcu::barrier().ok());
    MXK_CHECK_EQUAL(reclaimed.load(), replaced.load());
    MXK_CHECK_EQUAL(replaced.load(), 2 * workers::count() * replacements_per_writer);
    return published.wrong.load();
}

MXK_TEST(rcu1, seq_check) {
    MXK_CHECK_EQUAL(read_and_write(std::max<std::size_t>(400 / workers::count(), 10), rcu::Haste::Lazy), 0U);
}
MXK_TEST(rcu1, expedite) {
    MXK_CHECK_EQUAL(read_and_write(std::max<std::size_t>(200 / workers::count(), 5), rcu::Haste::Now), 0U);
}
MXK_LONG_TEST(rcu1, seq_check_long) {
    MXK_CHECK_EQUAL(read_and_write(20'000, rcu::Haste::Lazy), 0U);
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
MXK_TEST(rcu1, nop_callbacks) {
    constexpr std::size_t callbacks = 2000; // of each core
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
