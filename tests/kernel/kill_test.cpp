// Threads that are ended from outside: where they wait, sleep and yield, and not where they must not.
#include <atomic>
#include <string_view>

#include "base/sanitizers.hpp"
#include "base/spin_wait.hpp"
#include "kernel/testing.hpp"
#include "tasks/run_on.hpp"
#include "tasks/threads/kill.hpp"
#include "tasks/threads/mutex.hpp"
#include "tasks/threads/thread_backend.hpp"
#include "tasks/workers.hpp"

namespace mxk {
namespace {

constexpr Nanoseconds an_hour{3'600'000'000'000};

struct Wanted {
    std::string_view name;
    std::uint32_t id = 0;
    ThreadState state{};
};

// The newest thread of that name, as `threads` shows it.
Wanted look_up(std::string_view name) {
    Wanted wanted{.name = name};
    thread_list::for_each(
        [](ThreadRecord const& thread, void* context) {
            auto& mine = *static_cast<Wanted*>(context);
            if (thread.name.view() != mine.name) return;
            mine.id = thread.id;
            mine.state = thread_backend::use_of(thread).state;
        },
        &wanted);
    return wanted;
}

// Nobody tells when it holds: a task asks again and again, between which threads of this core have their turns.
template <typename Condition> void wait_until(Condition holds) {
    CoreId const here[] = {Worker::current().core()};
    MXK_CHECK(run_on(here, [&](Worker&, std::size_t) { return holds() ? Step::Done : Step::Again; }));
}

void wait_for_state(std::string_view name, ThreadState state) {
    wait_until([&] { return look_up(name).state == state; });
}

void kill_by_name(std::string_view name) {
    MXK_CHECK(kill_thread(look_up(name).id).ok());
}

ThreadOptions on_last_core(std::string_view name) {
    return {.core = core_id(workers::count() - 1), .name = name};
}

// Waits until the thread says so, and joins after the kill: a thread that does not end is a hang, which is found.
struct Signs {
    std::atomic<bool> is_ready{false};
    std::atomic<bool> went_on{false};
};
void wait_for_sign(std::atomic<bool> const& sign) {
    wait_until([&] { return sign.load(std::memory_order_acquire); });
}

// Where a thread ends inside sem_wait(), TSan reports all that the thread does from there on as unordered, its own
// releases and acquires among it.
constexpr char const* not_under_tsan = "TSan does not follow a thread that is cancelled in a system call";

MXK_TEST(kill, a_thread_that_sleeps_ends) {
    if (thread_sanitizer) MXK_SKIP(not_under_tsan);
    Signs signs;
    auto sleeper = [&] {
        become_killable();
        signs.is_ready.store(true, std::memory_order_release);
        MXK_CHECK(this_thread::sleep_for(an_hour).ok());
        signs.went_on.store(true, std::memory_order_release);
    };
    auto thread = Thread::create(on_last_core("kill sleeper"), sleeper);
    MXK_CHECK(thread.ok());
    if (!thread) return;
    wait_for_sign(signs.is_ready);
    wait_for_state("kill sleeper", ThreadState::Sleeping);
    kill_by_name("kill sleeper");
    MXK_CHECK(thread.value().join().ok());
    MXK_CHECK(!signs.went_on.load(std::memory_order_acquire));
}

// The unit that comes later is the next waiter's.
MXK_TEST(kill, a_thread_that_waits_ends_and_takes_no_unit) {
    if (thread_sanitizer) MXK_SKIP(not_under_tsan);
    Semaphore semaphore(0);
    Signs signs;
    std::atomic<bool> timed_is_ready{false};
    auto first = [&] {
        become_killable();
        signs.is_ready.store(true, std::memory_order_release);
        semaphore.wait();
        signs.went_on.store(true, std::memory_order_release);
    };
    auto second = [&] { semaphore.wait(); };
    auto timed = [&] {
        become_killable();
        timed_is_ready.store(true, std::memory_order_release);
        MXK_CHECK(semaphore.wait_for(an_hour).ok());
        signs.went_on.store(true, std::memory_order_release);
    };
    auto a = Thread::create(on_last_core("kill waiter"), first);
    auto b = Thread::create(on_last_core("kill timed"), timed);
    auto c = Thread::create(on_last_core("kill other"), second);
    MXK_CHECK(a.ok() && b.ok() && c.ok());
    if (!a || !b || !c) return;
    wait_for_sign(signs.is_ready);
    wait_for_sign(timed_is_ready);
    for (std::string_view const name : {"kill waiter", "kill timed", "kill other"})
        wait_for_state(name, ThreadState::Waiting);
    kill_by_name("kill waiter");
    kill_by_name("kill timed");
    MXK_CHECK(a.value().join().ok() && b.value().join().ok());
    MXK_CHECK(!signs.went_on.load(std::memory_order_acquire));
    semaphore.post();
    MXK_CHECK(c.value().join().ok());
    MXK_CHECK(!semaphore.try_wait());
}

// It never has to wait: it ends where it would begin to.
MXK_TEST(kill, a_thread_that_always_finds_a_unit_ends) {
    if (thread_sanitizer) MXK_SKIP(not_under_tsan);
    Semaphore semaphore(1);
    Signs signs;
    auto taker = [&] {
        become_killable();
        for (;;) {
            semaphore.wait();
            semaphore.post();
            signs.is_ready.store(true, std::memory_order_release);
        }
    };
    auto thread = Thread::create(on_last_core("kill taker"), taker);
    MXK_CHECK(thread.ok());
    if (!thread) return;
    wait_for_sign(signs.is_ready);
    kill_by_name("kill taker");
    MXK_CHECK(thread.value().join().ok());
}

MXK_TEST(kill, a_thread_with_a_mutex_ends_when_it_has_given_that_back) {
    if (thread_sanitizer) MXK_SKIP(not_under_tsan);
    Mutex mutex;
    Semaphore semaphore(0);
    Signs signs;
    auto owner = [&] {
        become_killable();
        {
            LockGuard const guard(mutex);
            signs.is_ready.store(true, std::memory_order_release);
            semaphore.wait();
        }
        end_if_killed();
        signs.went_on.store(true, std::memory_order_release);
    };
    auto other = [&] { LockGuard const guard(mutex); };
    auto thread = Thread::create(on_last_core("kill owner"), owner);
    MXK_CHECK(thread.ok());
    if (!thread) return;
    wait_for_sign(signs.is_ready);
    kill_by_name("kill owner");
    MXK_CHECK(look_up("kill owner").state != ThreadState::Ended);
    semaphore.post();
    MXK_CHECK(thread.value().join().ok());
    MXK_CHECK(!signs.went_on.load(std::memory_order_acquire));
    auto next = Thread::create(on_last_core("kill next"), other); // the mutex is free
    MXK_CHECK(next.ok() && next.value().join().ok());
}

// On metal its slice's end is enough; in both builds it asks.
MXK_TEST(kill, a_thread_that_only_runs_ends) {
    if (thread_sanitizer) MXK_SKIP(not_under_tsan);
    Signs signs;
    auto runner = [&] {
        become_killable();
        signs.is_ready.store(true, std::memory_order_release);
        for (SpinWait wait;; wait.turn())
            if (!Thread::has_slices()) end_if_killed();
    };
    auto thread = Thread::create(on_last_core("kill runner"), runner);
    MXK_CHECK(thread.ok());
    if (!thread) return;
    wait_for_sign(signs.is_ready);
    kill_by_name("kill runner");
    MXK_CHECK(thread.value().join().ok());
}

MXK_TEST(kill, what_cannot_be_killed_is_named) {
    Semaphore semaphore(0);
    auto waiter = [&] { semaphore.wait(); };
    auto thread = Thread::create(on_last_core("kill refused"), waiter);
    MXK_CHECK(thread.ok());
    if (!thread) return;
    wait_for_state("kill refused", ThreadState::Waiting);
    auto const refused = kill_thread(look_up("kill refused").id);
    MXK_CHECK(!refused && refused.error().message().starts_with("expected a thread that may be killed, thread "));
    semaphore.post();
    wait_for_state("kill refused", ThreadState::Ended);
    auto const ended = kill_thread(look_up("kill refused").id);
    MXK_CHECK(!ended && ended.error().message().ends_with("('kill refused') has ended"));
    MXK_CHECK(thread.value().join().ok());
    MXK_CHECK(!kill_thread(0).ok());
}

} // namespace
} // namespace mxk
