// Read-copy-update and interrupts: handlers that are readers, on cores that halt, run tasks or run threads, and give
// callbacks; and slices of threads that an expedited grace period does not wait for. Metal only.
#include <array>
#include <atomic>

#include "arch/x86_64/cpu/registers.hpp"
#include "arch/x86_64/exceptions/interrupts.hpp"
#include "base/spin_wait.hpp"
#include "kernel/clock.hpp"
#include "kernel/remote_call.hpp"
#include "kernel/testing.hpp"
#include "tasks/rcu/rcu_wait.hpp"
#include "tasks/threads/thread.hpp"
#include "tests/kernel/all_cores.hpp"
#include "tests/kernel/metal/interrupts/read.hpp"
#include "tests/kernel/rcu_cookie.hpp"
#include "tests/kernel/resident.hpp"
#include "tests/kernel/thread_group.hpp"

namespace mxk {
namespace {

// A grace period that begins while the handler is in its section waits for it.
void check_reader(ReadingInterrupt& reader, rcu::Callback* of_handler) {
    Cookie cookie;
    std::size_t const core = workers::count() - 1;
    reader.send(core, of_handler);
    wait_until([&] { return reader.is_inside(); });
    rcu::call(cookie, rcu::Urgency::Expedited);
    let_time_pass();
    MXK_CHECK(!cookie.has_run.load());
    reader.let_go();
    wait_until([&] { return reader.has_left(); });
    await(cookie);
}

MXK_TEST(rcu1, waits_for_handlers_that_read_on_a_halted_core) {
    if (workers::count() < 2) MXK_SKIP("one core, which begins the grace period");
    ReadingInterrupt reader(arch::vector::first_free);
    rcu::GracePeriods::Core const& there = rcu::periods()->of(last_core());
    for (int time = 0; time < 10; ++time) {
        wait_until([&] { return there.is_halted(); });
        check_reader(reader, nullptr);
    }
}

MXK_TEST(rcu1, waits_for_handlers_that_interrupt_a_thread_and_takes_their_callbacks) {
    if (workers::count() < 2) MXK_SKIP("one core, which begins the grace period");
    ReadingInterrupt reader(arch::vector::first_free);
    std::atomic<bool> stopped{false};
    auto spin = [&] {
        while (!stopped.load(std::memory_order_relaxed)) rcu::ReadSection const section;
    };
    ThreadGroup group(1);
    group.start({.core = last_core(), .name = "spinner"}, spin);
    for (int time = 0; time < 10; ++time) {
        Cookie of_handler;
        check_reader(reader, &of_handler);
        await(of_handler);
    }
    stopped.store(true, std::memory_order_relaxed);
    group.join();
}

// What it waits for is a reader of the maximum slice that goes on without a section, and never gives the core away.
MXK_TEST(rcu1, an_expedited_grace_period_waits_for_a_reader_and_not_for_its_slice) {
    if (workers::count() < 2) MXK_SKIP("one core, which begins the grace period");
    Resident reader;
    auto body = [&] {
        {
            rcu::ReadSection const section;
            reader.stay(1);
        }
        reader.stay(2);
    };
    ThreadGroup group(1);
    group.start({.core = last_core(), .name = "reader", .slice = Thread::max_slice}, body);
    reader.await(1);
    Cookie cookie;
    rcu::call(cookie, rcu::Urgency::Expedited);
    let_time_pass(); // its slice is interrupted, and it goes on in its section
    MXK_CHECK(!cookie.has_run.load());
    Cycles const start = clock::timestamp();
    reader.let_go();
    await(cookie);
    MXK_CHECK(clock::timestamp() - start < clock::to_cycles(Nanoseconds{raw(Thread::max_slice) / 4}));
    reader.await(2);
    reader.let_go();
    group.join();
}

// A thread that makes calls in a row is on its core's stack nearly all the time: what wants its slice ended then is not
// lost.
MXK_TEST(rcu1, an_expedited_grace_period_does_not_wait_for_a_thread_that_calls_all_the_time) {
    if (workers::count() < 2) MXK_SKIP("one core, which begins the grace period");
    struct Letter : Task {
        Letter()
            : Task([](Worker&, Task& task) {
                static_cast<Letter&>(task).is_here.store(true, std::memory_order_release);
            }) {}
        std::atomic<bool> is_here{true};
    };
    std::array<Letter, 32> letters;
    std::atomic<bool> stopped{false};
    std::atomic<std::uint64_t> calls{0};
    auto body = [&] {
        while (!stopped.load(std::memory_order_relaxed))
            for (Letter& letter : letters) {
                if (!letter.is_here.load(std::memory_order_acquire)) continue;
                letter.is_here.store(false, std::memory_order_relaxed);
                send_task(letter, core_id(0));
                calls.fetch_add(1, std::memory_order_relaxed);
            }
        for (Letter& letter : letters)
            while (!letter.is_here.load(std::memory_order_acquire)) this_thread::yield();
    };
    ThreadGroup group(1);
    group.start({.core = last_core(), .name = "caller", .slice = Thread::max_slice}, body);
    wait_until([&] { return calls.load() > 100; });
    Cycles const start = clock::timestamp();
    for (int time = 0; time < 100; ++time) rcu::synchronize_expedited();
    MXK_CHECK(clock::timestamp() - start < clock::to_cycles(Thread::max_slice));
    stopped.store(true, std::memory_order_relaxed);
    group.join();
}

// Two cores that call each other with interrupts off: each serves while it waits.
MXK_TEST(remote_calls, of_two_cores_to_each_other_with_interrupts_off) {
    if (workers::count() < 2) MXK_SKIP("one core");
    constexpr std::size_t calls = 200;
    struct Caller : Task {
        Caller(CoreId its_other, std::atomic<int>& its_ready)
            : Task(&Caller::call_other)
            , other(its_other)
            , ready(its_ready) {}
        static void call_other(Worker&, Task& task) {
            auto& self = static_cast<Caller&>(task);
            self.ready.fetch_add(1, std::memory_order_relaxed);
            for (SpinWait wait; self.ready.load(std::memory_order_relaxed) < 2;) wait.turn();
            {
                arch::InterruptsOff const off;
                for (std::size_t i = 0; i < calls; ++i) call_on(self.other, [&] { ++self.done; });
            }
            self.has_ended.store(true, std::memory_order_release);
        }
        CoreId other;
        std::atomic<int>& ready;
        std::size_t done = 0; // the other core's, which the calls order
        std::atomic<bool> has_ended{false};
    };
    std::atomic<int> ready{0};
    Caller here(last_core(), ready);
    Caller there(core_id(0), ready);
    Worker::current().append(there, last_core());
    Worker::current().append(here);
    wait_until([&] {
        return here.has_ended.load(std::memory_order_acquire) && there.has_ended.load(std::memory_order_acquire);
    });
    MXK_CHECK_EQUAL(here.done, calls);
    MXK_CHECK_EQUAL(there.done, calls);
}

} // namespace
} // namespace mxk
