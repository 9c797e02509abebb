// Work queues under delays at all of their steps: items from tasks, threads and as from interrupt handlers while the
// queue is stopped, workers that wait; and Runtimes that end after their queue was used.
#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <memory>
#include <vector>

#include "base/splitmix.hpp"
#include "main/library/runtime.hpp"
#include "tasks/ticker.hpp"
#include "tasks/workers.hpp"
#include "tasks/workqueue/work_queue.hpp"
#include "tests/delays.hpp"
#include "tests/unit/long_tests.hpp"

namespace mxk {
namespace {

using MayBlock = WorkQueue::MayBlock;

// Counts how often it has run, and waits in between as its number says.
struct CountedItem : WorkItem {
    std::atomic<int> runs{0};
    bool was_accepted = false;
    std::uint64_t number = 0;
    Semaphore* tokens = nullptr;

    static void run(WorkItem& item) {
        auto& self = static_cast<CountedItem&>(item);
        switch (splitmix(self.number) % 5) {
        case 0: EXPECT_TRUE(this_thread::sleep_for(Nanoseconds{20'000}).ok()); break;
        case 1: this_thread::yield(); break;
        case 2:
            self.tokens->wait();
            self.tokens->post();
            break;
        default: break;
        }
        self.runs.fetch_add(1, std::memory_order_relaxed);
    }
};

// A thread that enqueues in all three ways, until it is refused or has no more items.
struct Enqueuer {
    WorkQueue& queue;
    std::deque<CountedItem> items;
    std::atomic<int>& under_way;
    std::uint64_t seed;

    void operator()() {
        under_way.fetch_add(1, std::memory_order_relaxed);
        for (CountedItem& item : items) {
            switch (splitmix(seed ^ item.number) % 3) {
            case 0: item.was_accepted = queue.enqueue(item, &CountedItem::run, MayBlock::Yes); break;
            case 1: item.was_accepted = queue.enqueue(item, &CountedItem::run, MayBlock::No); break;
            default: item.was_accepted = queue.enqueue_from_interrupt(item, &CountedItem::run);
            }
            if (!item.was_accepted) return;
        }
    }
};

// What was taken has run once, and nothing else has.
void stop_under_load(Worker& here, std::uint64_t seed, std::size_t items_of_each) {
    auto memory = WorkQueue::Memory::create(
        {.name = "raced",
         .limits =
             WorkQueueLimits{static_cast<std::uint32_t>(seed % 3), static_cast<std::uint32_t>(2 + seed % 7),
                             static_cast<std::uint32_t>(1 + seed % 3), static_cast<std::uint32_t>(1 + seed % 4)}});
    ASSERT_TRUE(memory.ok());
    WorkQueue queue(std::move(memory).value());
    Semaphore tokens(1);
    std::atomic<int> under_way{0};
    std::deque<Enqueuer> enqueuers;
    std::vector<Thread> threads;
    for (std::size_t i = 0; i < workers::count(); ++i) {
        Enqueuer& enqueuer = enqueuers.emplace_back(queue, std::deque<CountedItem>(items_of_each), under_way, seed);
        for (CountedItem& item : enqueuer.items) {
            item.tokens = &tokens;
            item.number = splitmix(seed += splitmix_step);
        }
        auto thread = Thread::create({.core = core_id(i), .name = "enqueuer"}, enqueuer);
        ASSERT_TRUE(thread.ok());
        threads.push_back(std::move(thread).value());
    }
    Ticker const ticker(
        Nanoseconds{100'000}, [](void*) {}, nullptr);
    std::size_t const some = splitmix(seed) % (items_of_each * workers::count());
    here.run_until([&] {
        return under_way.load(std::memory_order_relaxed) == static_cast<int>(workers::count()) &&
               queue.report().executed >= some / 2;
    });
    queue.stop();
    for (Thread& thread : threads) EXPECT_TRUE(thread.join().ok());
    std::uint64_t accepted = 0;
    for (Enqueuer const& enqueuer : enqueuers)
        for (CountedItem const& item : enqueuer.items) {
            EXPECT_EQ(item.runs.load(), item.was_accepted ? 1 : 0);
            accepted += item.was_accepted ? 1U : 0U;
        }
    WorkQueueReport const report = queue.report();
    EXPECT_EQ(report.executed, accepted);
    EXPECT_EQ(report.counts.workers, 0U);
    EXPECT_EQ(report.counts.items, 0U);
    EXPECT_EQ(report.created, report.joined);
}

TEST(WorkQueueTest, runs_what_it_has_taken_and_nothing_else_when_it_is_stopped) {
    auto runtime = Runtime::start({.cores = 4, .nodes = 2, .memory_bytes = 256 * MiB});
    ASSERT_TRUE(runtime.ok());
    InjectDelays const delays;
    runtime.value().run([](Worker& here) {
        std::size_t const rounds = test::operations(40, 2000);
        for (std::size_t round = 0; round < rounds; ++round) stop_under_load(here, round, 100);
    });
}

// Its workers have ended before the cores do.
TEST(WorkQueueTest, a_runtime_ends_with_its_system_queue) {
    for (bool const own_threads : {false, true}) {
        for (int round = 0; round < 3; ++round) {
            std::deque<CountedItem> items(50);
            Semaphore tokens(1);
            {
                auto runtime = Runtime::start({.cores = 3, .memory_bytes = 128 * MiB, .own_threads = own_threads});
                ASSERT_TRUE(runtime.ok());
                EXPECT_FALSE(system_queue::has_worked());
                struct Giver : Task {
                    explicit Giver(std::deque<CountedItem>& its_items)
                        : Task([](Worker&, Task& task) {
                            auto& self = static_cast<Giver&>(task);
                            for (CountedItem& item : self.items)
                                EXPECT_TRUE(system_work_queue().enqueue(item, &CountedItem::run, MayBlock::No));
                            self.is_done.store(true, std::memory_order_release);
                            self.is_done.notify_all();
                        })
                        , items(its_items) {}
                    std::deque<CountedItem>& items;
                    std::atomic<bool> is_done{false};
                };
                auto const giver = std::make_unique<Giver>(items);
                std::uint64_t number = 0;
                for (CountedItem& item : items) {
                    item.number = number++;
                    item.tokens = &tokens;
                }
                workers::of(core_id(1)).append_from_outside(*giver);
                giver->is_done.wait(false, std::memory_order_acquire);
            }
            for (CountedItem const& item : items) EXPECT_EQ(item.runs.load(), 1);
        }
    }
}

} // namespace
} // namespace mxk
