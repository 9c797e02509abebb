// Work queues: that each item runs once, that waiting work does not starve other work, that a queue shrinks again, and
// what becomes of items when it is stopped. The waves of items that reproduce are those of HelenOS's workqueue tests:
// an item counts down from 2^12 - 1, enqueues itself again, and a child whenever its count is one less than a power of
// two; that makes (12 + 2) * 2^11 calls.
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/log.hpp"
#include "bench/workload/random.hpp"
#include "kernel/clock.hpp"
#include "kernel/testing.hpp"
#include "tasks/run_on.hpp"
#include "tasks/threads/condition.hpp"
#include "tasks/threads/mutex.hpp"
#include "tasks/workqueue/work_queue.hpp"
#include "tests/kernel/all_cores.hpp"
#include "tests/kernel/all_memory.hpp"
#include "tests/kernel/mixed_work.hpp"
#include "tests/kernel/noise.hpp"
#include "tests/kernel/thread_group.hpp"

namespace mxk {
namespace {

using MayBlock = WorkQueue::MayBlock;

constexpr unsigned wave_power = 12;
constexpr std::uint32_t items_per_wave = 1U << wave_power;
constexpr std::uint32_t calls_per_wave = (wave_power + 2) << (wave_power - 1);
static_assert(calls_per_wave == 28'672);

// What a queue must no longer look at once an item's function is entered, and what nobody may once the item has ended.
constexpr int entered_poison = 0xec;
constexpr int ended_poison = 0xfa;

class Wave;

struct Reproducer : WorkItem {
    Wave* wave = nullptr;
    std::uint32_t count = 0;
    bool sleeps = false; // once
};

// How the items of a wave behave.
struct WaveOptions {
    Nanoseconds sleep{};     // of each item but the first one, once; 0: none
    bool is_endless = false; // items go on at the end: until they are refused, or quit() is called
};

class Wave {
  public:
    Wave(WorkQueue& queue, WaveOptions const& options)
        : queue_(queue)
        , options_(options)
        , items_(NodeVector<Reproducer>::create(items_per_wave, Worker::current().node())) {
        MXK_REQUIRE(items_.ok());
        for (std::uint32_t i = 0; i < items_per_wave; ++i) items_.value().emplace();
    }

    // False: there was no memory for its items, and the test has failed.
    [[nodiscard]] bool is_there() const { return items_.ok(); }
    // By the console's task.
    void start(MayBlock may_block) { enqueue(make(items_per_wave - 1, false), may_block); }
    void quit() { has_quit_.store(true, std::memory_order_relaxed); }

    [[nodiscard]] std::uint32_t calls() const { return calls_.load(std::memory_order_relaxed); }
    // Items that have been made, and that have ended; acquire: what they have written is visible.
    [[nodiscard]] std::uint32_t made() const { return made_.load(std::memory_order_relaxed); }
    [[nodiscard]] std::uint32_t ended() const { return ended_.load(std::memory_order_acquire); }
    [[nodiscard]] std::uint32_t refused() const { return refused_.load(std::memory_order_relaxed); }

    // After the last one: whether nobody has written to one that had ended.
    [[nodiscard]] bool is_untouched() const {
        for (std::uint32_t i = 0; i < made(); ++i) {
            auto const* const bytes = reinterpret_cast<unsigned char const*>(&items_.value()[i]);
            for (std::size_t at = 0; at < sizeof(WorkItem); ++at)
                if (bytes[at] != ended_poison) return false;
        }
        return true;
    }

  private:
    Reproducer& make(std::uint32_t count, bool sleeps) {
        std::uint32_t const place = made_.fetch_add(1, std::memory_order_relaxed);
        expect(place < items_per_wave, "a wave makes 2^12 items");
        Reproducer& item = items_.value()[place];
        item.wave = this;
        item.count = count;
        item.sleeps = sleeps;
        return item;
    }
    void enqueue(Reproducer& item, MayBlock may_block) {
        if (queue_.enqueue(item, &Wave::reproduce, may_block)) return;
        refused_.fetch_add(1, std::memory_order_relaxed);
        end(item);
    }
    void end(Reproducer& item) {
        std::memset(static_cast<void*>(static_cast<WorkItem*>(&item)), ended_poison, sizeof(WorkItem));
        ended_.fetch_add(1, std::memory_order_release);
    }
    static void reproduce(WorkItem& work) {
        std::memset(static_cast<void*>(&work), entered_poison, sizeof(WorkItem));
        auto& item = static_cast<Reproducer&>(work);
        item.wave->run(item);
    }
    void run(Reproducer& item) {
        calls_.fetch_add(1, std::memory_order_relaxed);
        bool const is_over = item.count == 0 && !options_.is_endless;
        if (is_over || has_quit_.load(std::memory_order_relaxed)) return end(item);
        if (item.sleeps) {
            item.sleeps = false;
            MXK_CHECK(this_thread::sleep_for(options_.sleep).ok());
        }
        std::uint32_t const count = item.count;
        bool const goes_on = options_.is_endless && count <= 2; // as it is
        bool const has_child = !goes_on && (count & (count + 1)) == 0;
        if (!goes_on) --item.count;
        // Either kind of enqueueing, as both are there for work functions.
        if (has_child)
            enqueue(make(count / 2, options_.sleep != Nanoseconds{}), count % 3 == 0 ? MayBlock::Yes : MayBlock::No);
        enqueue(item, count % 5 == 0 ? MayBlock::Yes : MayBlock::No);
    }

    WorkQueue& queue_;
    WaveOptions options_;
    Result<NodeVector<Reproducer>> items_;
    std::atomic<bool> has_quit_{false};
    std::atomic<std::uint32_t> calls_{0};
    std::atomic<std::uint32_t> made_{0};
    std::atomic<std::uint32_t> ended_{0};
    std::atomic<std::uint32_t> refused_{0};
};

// Two waves at a time, the items of one of which sleep.
void run_waves(WorkQueue& queue, std::uint32_t pairs, Nanoseconds sleep) {
    for (std::uint32_t i = 0; i < pairs; ++i) {
        Wave even(queue, {});
        Wave odd(queue, {.sleep = sleep});
        MXK_REQUIRE(even.is_there() && odd.is_there());
        even.start(MayBlock::Yes);
        odd.start(MayBlock::No);
        for (Wave const* const wave : {&even, &odd}) {
            wait_until([&] { return wave->ended() == items_per_wave; });
            MXK_CHECK_EQUAL(wave->calls(), calls_per_wave);
            MXK_CHECK_EQUAL(wave->made(), items_per_wave);
            MXK_CHECK_EQUAL(wave->refused(), 0U);
            MXK_CHECK(wave->is_untouched());
        }
    }
}

// An item that says when it has run.
struct Note : WorkItem {
    static void run(WorkItem& item) { static_cast<Note&>(item).runs.fetch_add(1, std::memory_order_release); }
    [[nodiscard]] bool has_run() const { return runs.load(std::memory_order_acquire) != 0; }
    std::atomic<std::uint32_t> runs{0};
};

// Nothing is left to do, and the workers that are superfluous are gone.
WorkQueueReport wait_until_calm(WorkQueue const& queue) {
    WorkQueueReport report{};
    wait_until([&] {
        report = queue.report();
        return report.counts.active() == 0 && report.counts.items == 0 && report.ended == report.joined;
    });
    return report;
}

MXK_TEST(workqueue, an_item_runs_once_and_may_be_used_again) {
    WorkQueue& queue = system_work_queue();
    std::uint64_t const executed = queue.report().executed;
    Note note;
    for (std::uint32_t i = 1; i <= 100; ++i) {
        MXK_CHECK(queue.enqueue(note, &Note::run, i % 2 == 0 ? MayBlock::Yes : MayBlock::No));
        wait_until([&] { return note.runs.load(std::memory_order_acquire) == i; });
    }
    Note from_thread;
    auto body = [&] { MXK_CHECK(queue.enqueue(from_thread, &Note::run)); };
    ThreadGroup group(1);
    group.start({.core = core_id(workers::count() - 1), .name = "enqueuer"}, body);
    group.join();
    wait_until([&] { return from_thread.has_run(); });
    MXK_CHECK_EQUAL(queue.report().executed - executed, 101U);
    MXK_CHECK_EQUAL(note.runs.load(), 100U);
    MXK_CHECK_EQUAL(from_thread.runs.load(), 1U);
    wait_until_calm(queue);
}

MXK_TEST(workqueue, wrong_limits_are_named) {
    WorkQueueLimits limits = default_work_queue_limits(4);
    MXK_CHECK(limits == (WorkQueueLimits{2, 32, 4, 8}));
    limits.items_per_worker = 0;
    auto const none = WorkQueue::Memory::create({.limits = limits});
    MXK_CHECK(!none && none.error().message().find("got 32, 4 and 0") != std::string_view::npos);
    limits = {.min_idle = 3, .max_workers = 2, .max_running = 1, .items_per_worker = 1};
    auto const idle = WorkQueue::Memory::create({.limits = limits});
    MXK_CHECK(!idle && idle.error().message().find("got 2 and 3") != std::string_view::npos);
}

MXK_TEST(workqueue, one_worker_runs_items_in_order) {
    struct Numbered : WorkItem {
        std::uint32_t number = 0;
        std::uint32_t* next = nullptr;
        bool was_in_order = false;
    };
    constexpr std::uint32_t count = 1000;
    std::uint32_t next = 0;
    auto items = NodeVector<Numbered>::create(count, Worker::current().node());
    MXK_REQUIRE(items.ok());
    {
        WorkQueue queue(MXK_REQUIRE_VALUE(WorkQueue::Memory::create({.limits = WorkQueueLimits{1, 1, 1, 8}})));
        for (std::uint32_t i = 0; i < count; ++i) {
            Numbered& item = items.value().emplace();
            item.number = i;
            item.next = &next;
            MXK_CHECK(queue.enqueue(item, [](WorkItem& work) {
                auto& self = static_cast<Numbered&>(work);
                self.was_in_order = self.number == (*self.next)++;
            }));
        }
        queue.stop();
        MXK_CHECK_EQUAL(queue.report().max_workers_at_once, 1U);
    }
    MXK_CHECK_EQUAL(next, count);
    for (Numbered const& item : items.value()) MXK_CHECK(item.was_in_order);
}

// Short sleeps, and one pair of waves: HelenOS has five, and 100 ms.
MXK_TEST(workqueue, waves_of_the_system_queue) {
    WorkQueue& queue = system_work_queue();
    run_waves(queue, 1, Nanoseconds{200'000});
    WorkQueueReport const report = wait_until_calm(queue);
    MXK_CHECK_EQUAL(report.counts.blocked, 0U);
    MXK_CHECK(report.counts.workers <= report.limits.min_idle);
}

MXK_TEST(workqueue, waves_of_an_own_queue) {
    WorkQueue queue(
        MXK_REQUIRE_VALUE(WorkQueue::Memory::create({.name = "waves", .limits = WorkQueueLimits{1, 12, 3, 4}})));
    run_waves(queue, 1, Nanoseconds{200'000});
    queue.stop();
    WorkQueueReport const report = queue.report();
    MXK_CHECK_EQUAL(report.executed, 2 * calls_per_wave);
    MXK_CHECK(report.max_workers_at_once > 1 && report.max_workers_at_once <= 12);
    MXK_CHECK_EQUAL(report.counts.workers, 0U);
    MXK_CHECK_EQUAL(report.created, report.ended);
}

MXK_LONG_TEST(workqueue, ten_waves_of_the_system_queue) {
    run_waves(system_work_queue(), 5, Nanoseconds{100'000'000});
    run_waves(system_work_queue(), 1, Nanoseconds{100'000'000});
    wait_until_calm(system_work_queue());
}

// Refused items are expected: each ends by that.
MXK_TEST(workqueue, what_is_queued_is_run_when_it_stops_and_nothing_else_is_taken) {
    constexpr std::uint32_t enough = 2000;
    WorkQueue queue(MXK_REQUIRE_VALUE(WorkQueue::Memory::create({.name = "stopped"})));
    Wave wave(queue, {.is_endless = true});
    MXK_REQUIRE(wave.is_there());
    wave.start(MayBlock::Yes);
    wait_until([&] { return wave.calls() >= enough; });
    queue.stop();
    MXK_CHECK_EQUAL(wave.ended(), wave.made());
    MXK_CHECK_EQUAL(wave.refused(), wave.made());
    MXK_CHECK_EQUAL(queue.report().executed, wave.calls());
    MXK_CHECK(wave.is_untouched());
    Note late;
    MXK_CHECK(!queue.enqueue(late, &Note::run));
    MXK_CHECK(!queue.enqueue_from_interrupt(late, &Note::run));
    MXK_CHECK(!late.has_run());
}

MXK_TEST(workqueue, a_thread_may_stop_one_that_was_never_used_and_one_that_was) {
    Note note;
    auto body = [&] {
        { WorkQueue const unused(MXK_REQUIRE_VALUE(WorkQueue::Memory::create({}))); }
        WorkQueue used(MXK_REQUIRE_VALUE(WorkQueue::Memory::create({})));
        MXK_CHECK(used.enqueue(note, &Note::run));
        used.stop();
        MXK_CHECK(note.has_run());
    };
    ThreadGroup group(1);
    group.start({.core = core_id(workers::count() - 1), .name = "stopper"}, body);
    group.join();
}

// The items' own end, by a flag: the system queue goes on.
MXK_TEST(workqueue3quit, items_of_the_system_queue_quit_early) {
    constexpr std::uint32_t enough = 2000;
    WorkQueue& queue = system_work_queue();
    std::uint64_t const executed = queue.report().executed;
    Wave wave(queue, {.is_endless = true});
    MXK_REQUIRE(wave.is_there());
    wave.start(MayBlock::No);
    wait_until([&] { return wave.calls() >= enough; });
    wave.quit();
    wait_until([&] { return wave.ended() == wave.made(); });
    MXK_CHECK_EQUAL(wave.refused(), 0U);
    MXK_CHECK_EQUAL(queue.report().executed - executed, wave.calls());
    MXK_CHECK(wave.is_untouched());
    Note note;
    MXK_CHECK(queue.enqueue(note, &Note::run));
    wait_until([&] { return note.has_run(); });
    wait_until_calm(queue);
}

// How a work function waits for another item, which only runs if the thread layer tells the queue of it: one may run.
enum class WaitBy : std::uint8_t { Semaphore, SemaphoreFor, Syscall, Mutex, Condition, Sleep, Join };

struct Waiting {
    WaitBy by{};
    Semaphore semaphore;
    Semaphore syscall_semaphore{0, Semaphore::supports(SemaphoreKind::Syscall) ? SemaphoreKind::Syscall
                                                                               : SemaphoreKind::Fast};
    Mutex mutex;
    ConditionVariable condition;
    bool is_signalled = false; // under the mutex
    std::atomic<bool> has_signalled{false};
    std::atomic<bool> has_waited{false};
    struct First : WorkItem {
        Waiting* waiting = nullptr;
    } first;
    struct Second : WorkItem {
        Waiting* waiting = nullptr;
    } second;

    void wait() {
        switch (by) {
        case WaitBy::Semaphore: semaphore.wait(); break;
        case WaitBy::SemaphoreFor: MXK_CHECK(semaphore.wait_for(Nanoseconds{60'000'000'000}).value()); break;
        case WaitBy::Syscall: syscall_semaphore.wait(); break;
        case WaitBy::Mutex:
        case WaitBy::Condition: {
            LockGuard const guard(mutex);
            condition.wait(mutex, [this] { return is_signalled; });
            break;
        }
        case WaitBy::Sleep:
            while (!has_signalled.load(std::memory_order_relaxed))
                MXK_CHECK(this_thread::sleep_for(Nanoseconds{100'000}).ok());
            break;
        case WaitBy::Join: {
            auto body = [this] { semaphore.wait(); };
            auto thread = Thread::create({.core = this_thread::core(), .name = "joined"}, body);
            MXK_CHECK(thread.ok() && thread.value().join().ok());
            break;
        }
        }
    }
    void signal() {
        has_signalled.store(true, std::memory_order_relaxed);
        semaphore.post();
        syscall_semaphore.post();
        LockGuard const guard(mutex);
        is_signalled = true;
        condition.notify_all();
    }
};

MXK_TEST(workqueue, work_that_waits_in_any_way_starves_no_other) {
    for (auto const by : {WaitBy::Semaphore, WaitBy::SemaphoreFor, WaitBy::Syscall, WaitBy::Mutex, WaitBy::Condition,
                          WaitBy::Sleep, WaitBy::Join}) {
        WorkQueue queue(
            MXK_REQUIRE_VALUE(WorkQueue::Memory::create({.name = "waiting", .limits = WorkQueueLimits{0, 2, 1, 8}})));
        Waiting waiting;
        waiting.by = by;
        waiting.first.waiting = &waiting;
        waiting.second.waiting = &waiting;
        MXK_CHECK(queue.enqueue(
            waiting.first,
            [](WorkItem& item) {
                Waiting& it = *static_cast<Waiting::First&>(item).waiting;
                it.wait();
                it.has_waited.store(true, std::memory_order_release);
            },
            MayBlock::No));
        MXK_CHECK(queue.enqueue(
            waiting.second, [](WorkItem& item) { static_cast<Waiting::Second&>(item).waiting->signal(); },
            MayBlock::No));
        wait_until([&] { return waiting.has_waited.load(std::memory_order_acquire); });
        queue.stop();
        MXK_CHECK_EQUAL(queue.report().max_workers_at_once, 2U);
        MXK_CHECK_EQUAL(queue.report().counts.blocked, 0U);
    }
}

MXK_TEST(workqueue, grows_up_to_its_limit_and_shrinks_again) {
    constexpr std::uint32_t max_workers = 8;
    struct Gate {
        Semaphore open;
        std::atomic<std::uint32_t> inside{0};
    } gate;
    struct Waiter : WorkItem {
        Gate* gate = nullptr;
    };
    std::array<Waiter, max_workers + 3> waiters;
    WorkQueue queue(MXK_REQUIRE_VALUE(
        WorkQueue::Memory::create({.name = "gate", .limits = WorkQueueLimits{2, max_workers, 2, 8}})));
    for (Waiter& waiter : waiters) {
        waiter.gate = &gate;
        MXK_CHECK(queue.enqueue(
            waiter,
            [](WorkItem& item) {
                Gate& its_gate = *static_cast<Waiter&>(item).gate;
                its_gate.inside.fetch_add(1, std::memory_order_relaxed);
                its_gate.open.wait();
            },
            MayBlock::No));
    }
    wait_until([&] { return queue.report().counts.blocked == max_workers; });
    WorkQueueReport report = queue.report();
    MXK_CHECK_EQUAL(gate.inside.load(), max_workers);
    MXK_CHECK_EQUAL(report.counts.workers, max_workers);
    MXK_CHECK_EQUAL(report.counts.items, waiters.size() - max_workers);
    MXK_CHECK(trend_of(report.limits, report.counts) == Trend::Stable);
    for (std::size_t i = 0; i < waiters.size(); ++i) gate.open.post();
    report = wait_until_calm(queue);
    MXK_CHECK_EQUAL(report.executed, waiters.size());
    MXK_CHECK_EQUAL(report.max_workers_at_once, max_workers);
    wait_until([&] { return queue.report().counts.idle == 2U; }); // as many as it keeps: the others end
}

// Refuses for a while: as when there is no memory for a stack.
constinit std::atomic<std::uint32_t> refusals{0};
Result<Thread> refuse_or_create(ThreadOptions const& options, Thread::Entry entry, void* argument) {
    std::uint32_t left = refusals.load(std::memory_order_relaxed);
    while (left > 0)
        if (refusals.compare_exchange_weak(left, left - 1, std::memory_order_relaxed))
            return Error("no memory, says the test");
    return Thread::create(options, entry, argument);
}

// The WARN for each of the two is expected.
MXK_TEST(workqueue, goes_on_with_fewer_workers_where_there_is_no_memory) {
    log::info("two WARN lines for work queues without workers are expected");
    for (auto const may_block : {MayBlock::Yes, MayBlock::No}) {
        refusals.store(5, std::memory_order_relaxed);
        WorkQueue queue(
            MXK_REQUIRE_VALUE(WorkQueue::Memory::create({.name = "refused", .create_thread = &refuse_or_create})));
        std::array<Note, 20> notes;
        for (Note& note : notes) MXK_CHECK(queue.enqueue(note, &Note::run, may_block));
        for (Note const& note : notes) wait_until([&] { return note.has_run(); });
        queue.stop(); // also with attempts that fail
        MXK_CHECK_EQUAL(queue.report().not_created, 5 - refusals.load());
        MXK_CHECK(queue.report().not_created > 0);
        for (Note const& note : notes) MXK_CHECK_EQUAL(note.runs.load(), 1U);
    }
}

MXK_TEST(workqueue, items_that_wait_for_a_first_worker_are_run_when_it_stops) {
    refusals.store(3, std::memory_order_relaxed);
    WorkQueue queue(MXK_REQUIRE_VALUE(WorkQueue::Memory::create({.name = "late", .create_thread = &refuse_or_create})));
    Note note;
    MXK_CHECK(queue.enqueue(note, &Note::run));
    queue.stop();
    MXK_CHECK(note.has_run());
}

// A WARN for the queue, and for nodes that are helped out by others, may come of it.
MXK_TEST(workqueue, waits_for_memory_where_there_is_none) {
    if (!Thread::has_slices()) MXK_SKIP("threads of the Linux build need no memory of a node");
    WorkQueue queue(MXK_REQUIRE_VALUE(WorkQueue::Memory::create({.name = "poor"})));
    std::array<Note, 3> notes;
    {
        AllMemory all;
        all.take();
        for (Note& note : notes) MXK_CHECK(queue.enqueue(note, &Note::run, MayBlock::Yes));
        wait_until([&] { return queue.report().not_created >= 3; });
        for (Note const& note : notes) MXK_CHECK(!note.has_run());
    }
    for (Note const& note : notes) wait_until([&] { return note.has_run(); });
    queue.stop();
    MXK_CHECK_EQUAL(queue.report().executed, notes.size());
}

// As interrupt handlers do it: on all cores at once, by tasks and by threads.
MXK_TEST(workqueue, items_may_come_as_from_interrupts) {
    constexpr std::size_t each = 200;
    std::size_t const cores = workers::count();
    auto notes = NodeVector<Note>::create(2 * cores * each, Worker::current().node());
    MXK_REQUIRE(notes.ok());
    for (std::size_t i = 0; i < notes.value().capacity(); ++i) notes.value().emplace();
    WorkQueue queue(MXK_REQUIRE_VALUE(WorkQueue::Memory::create({.name = "interrupts"})));
    struct Giver {
        WorkQueue* queue;
        std::span<Note> notes;
        void operator()() {
            for (Note& note : notes) {
                MXK_CHECK(queue->enqueue_from_interrupt(note, &Note::run));
                if (&note - notes.data() == each / 2) this_thread::yield();
            }
        }
    };
    auto givers = NodeVector<Giver>::create(cores, Worker::current().node());
    MXK_REQUIRE(givers.ok());
    ThreadGroup group(cores);
    for (std::size_t i = 0; i < cores; ++i)
        group.start({.core = core_id(i), .name = "giver", .stack_bytes = Thread::min_stack_bytes},
                    givers.value().emplace(Giver{&queue, notes.value().span().subspan(i * each, each)}));
    MXK_CHECK(run_on(all_cores().span(), [&](Worker&, std::size_t place) {
        for (Note& note : notes.value().span().subspan((cores + place) * each, each))
            MXK_CHECK(queue.enqueue_from_interrupt(note, &Note::run));
        return Step::Done;
    }));
    group.join();
    queue.stop(); // some may not have been taken yet
    MXK_CHECK_EQUAL(queue.report().executed, notes.value().size());
    for (Note const& note : notes.value()) MXK_CHECK_EQUAL(note.runs.load(), 1U);
}

void mix(std::uint64_t seed, std::uint32_t items_of_each_core, std::uint32_t rounds) {
    bench::Random random(seed);
    WorkQueueLimits const limits = some_limits(random);
    std::size_t const cores = workers::count();
    std::size_t const count = cores * items_of_each_core;
    auto items = NodeVector<Mixed>::create(count, Worker::current().node());
    MXK_REQUIRE(items.ok());
    std::atomic<std::uint32_t> left{static_cast<std::uint32_t>(count)};
    Semaphore tokens(2);
    Semaphore done;
    WorkQueue queue(MXK_REQUIRE_VALUE(WorkQueue::Memory::create({.name = "mixed", .limits = limits})));
    for (std::size_t i = 0; i < count; ++i) {
        Mixed& item = items.value().emplace();
        item.queue = &queue;
        item.tokens = &tokens;
        item.left = &left;
        item.done = &done;
        item.seed = random.next();
        item.rounds = rounds;
    }
    MXK_CHECK(run_on(all_cores().span(), [&](Worker&, std::size_t place) {
        for (Mixed& item : items.value().span().subspan(place * items_of_each_core, items_of_each_core))
            MXK_CHECK(queue.enqueue(item, &Mixed::run, MayBlock::No));
        return Step::Done;
    }));
    wait_until([&] { return done.try_wait(); });
    queue.stop();
    WorkQueueReport const report = queue.report();
    MXK_CHECK_EQUAL(report.executed, count * (rounds + 1));
    MXK_CHECK(report.max_workers_at_once <= limits.max_workers);
    MXK_CHECK(tokens.try_wait() && tokens.try_wait() && !tokens.try_wait());
}

MXK_TEST(workqueue, work_of_all_kinds) {
    std::uint64_t const seed = inner_tests::seed();
    auto const each = static_cast<std::uint32_t>(1 + 80 / workers::count()); // as many, however many cores
    mix(seed, each, 10);
    Noise const noise(1'000'000);
    mix(seed + 1, each, 5);
}

MXK_LONG_TEST(workqueue, much_work_of_all_kinds) {
    std::uint64_t const seed = inner_tests::seed();
    for (std::uint32_t i = 0; i < 100; ++i) mix(seed + i, 50, 50);
}

} // namespace
} // namespace mxk
