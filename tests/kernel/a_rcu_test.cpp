// A-RCU (tasks/rcu/a_rcu.hpp): the tests of rcu1 that any kind of grace period has to pass.
#include <algorithm>
#include <atomic>
#include <cstddef>

#include "kernel/clock.hpp"
#include "kernel/testing.hpp"
#include "tasks/rcu/a_rcu.hpp"
#include "tasks/workers.hpp"
#include "tests/kernel/published.hpp"
#include "tests/kernel/resident.hpp"
#include "tests/kernel/thread_group.hpp"

namespace mxk {
namespace {

struct ArcuUse {
    using ThreadSection = a_rcu::ReadSection;
    using TaskSection = a_rcu::ReadSection;
    void call(rcu::Callback& callback) const { engine.call(callback, is_expedited); }
    a_rcu::Engine& engine;
    bool is_expedited;
};

struct ArcuFlag : rcu::Callback {
    ArcuFlag() {
        function = [](rcu::Callback& self) {
            static_cast<ArcuFlag&>(self).has_run.store(true, std::memory_order_release);
        };
    }
    void await() const {
        wait_until([this] { return has_run.load(std::memory_order_acquire); });
    }
    std::atomic<bool> has_run{false};
};

// In the Linux build, where nobody sees who is preempted.
constexpr char const* needs_lists = "here a reader who is in a section whenever it is looked at holds it up";

CoreId arcu_last_core() {
    return core_id(workers::count() - 1);
}

// Longer than a grace period that nobody holds up.
void let_arcu_time_pass() {
    Cycles const until = clock::timestamp() + clock::to_cycles(Nanoseconds{30'000'000});
    wait_until([&] { return clock::timestamp() >= until; });
}

MXK_TEST(a_rcu, callbacks_run_and_are_all_waited_for) {
    a_rcu::Engine engine;
    MXK_REQUIRE(engine.start().ok());
    ArcuFlag first;
    std::uint64_t const before = engine.begun();
    engine.call(first);
    first.await();
    MXK_CHECK(engine.done() > before);
    ArcuFlag second;
    auto body = [&] {
        engine.call(second);
        MXK_CHECK(engine.barrier().ok());
        MXK_CHECK(second.has_run.load(std::memory_order_relaxed));
        std::uint64_t const begun = engine.begun();
        engine.synchronize(true);
        MXK_CHECK(engine.done() > begun);
    };
    ThreadGroup group(1);
    group.start({.core = arcu_last_core(), .name = "waiter"}, body);
    group.join();
    second.await(); // is called also where there is no memory for a barrier
    MXK_CHECK(engine.statistics().completed >= 3);
}

MXK_TEST(a_rcu, waits_for_a_reader_who_was_taken_away) {
    a_rcu::Engine engine;
    MXK_REQUIRE(engine.start().ok());
    Resident reader;
    auto body = [&] {
        a_rcu::ReadSection const outer;
        a_rcu::ReadSection const inner;
        reader.stay(1); // for many slices
    };
    ThreadGroup group(1);
    group.start({.core = arcu_last_core(), .name = "reader"}, body);
    reader.await(1);
    ArcuFlag flag;
    engine.call(flag, true);
    let_arcu_time_pass();
    MXK_CHECK(!flag.has_run.load());
    reader.let_go();
    flag.await();
    group.join();
    // Who is found in its section while it runs is asked again; who was preempted is waited for without asking.
    if (Thread::has_slices()) MXK_CHECK(engine.statistics().waited + engine.statistics().asked > 0);
}

MXK_TEST(a_rcu, readers_who_come_later_hold_nothing_up) {
    if (!Thread::has_slices()) MXK_SKIP(needs_lists);
    a_rcu::Engine engine;
    MXK_REQUIRE(engine.start().ok());
    std::atomic<bool> stopped{false};
    auto body = [&] {
        while (!stopped.load(std::memory_order_relaxed)) {
            a_rcu::ReadSection const section;
            Cycles const until = clock::timestamp() + clock::to_cycles(Nanoseconds{300'000});
            while (clock::timestamp() < until) {
            }
        }
    };
    ThreadGroup group(3); // of one core
    for (int i = 0; i < 3; ++i)
        group.start({.core = arcu_last_core(), .name = "reader", .slice = Nanoseconds{200'000}}, body);
    for (int time = 0; time < 5; ++time) {
        ArcuFlag flag;
        engine.call(flag, true);
        flag.await();
    }
    stopped.store(true);
    group.join();
}

MXK_TEST(a_rcu, a_thread_that_ends_in_a_section_holds_nothing_up) {
    a_rcu::Engine engine;
    MXK_REQUIRE(engine.start().ok());
    auto body = [&] {
        for (int depth = 0; depth < 4; ++depth) arch::enter_nest();
        this_thread::yield(); // stands in a list
    };
    ThreadGroup group(1);
    group.start({.core = arcu_last_core(), .name = "leaver"}, body);
    group.join();
    ArcuFlag flag;
    engine.call(flag, true);
    flag.await();
}

MXK_TEST(a_rcu, seq_check) {
    if (!Thread::has_slices()) MXK_SKIP(needs_lists);
    a_rcu::Engine engine;
    MXK_REQUIRE(engine.start().ok());
    MXK_CHECK_EQUAL(read_and_write(ArcuUse{engine, true}, std::max<std::size_t>(200 / workers::count(), 5)), 0U);
}

MXK_LONG_TEST(a_rcu, seq_check_long) {
    if (!Thread::has_slices()) MXK_SKIP(needs_lists);
    a_rcu::Engine engine;
    MXK_REQUIRE(engine.start().ok());
    MXK_CHECK_EQUAL(read_and_write(ArcuUse{engine, false}, 5'000), 0U);
}

} // namespace
} // namespace mxk
