// The epochs of a core: their order by themselves, and, with threads and tasks that read what others unlink, that what
// an epoch promises holds. Under TSan a reader that is too late is a race.
#include "tasks/rcu/core_epoch.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <optional>

#include "base/spin_wait.hpp"
#include "kernel/protected_section.hpp"
#include "tasks/workers.hpp"
#include "tests/unit/in_thread.hpp"

namespace mxk::test {
namespace {

constexpr auto begin = [] {};
constexpr auto quiescent = [] { return true; };
constexpr auto busy = [] { return false; };

TEST(CoreEpoch, ends_none_unasked) {
    CoreEpoch epoch;
    epoch.try_to_advance(begin, quiescent);
    EXPECT_FALSE(epoch.is_due());
    EXPECT_EQ(epoch.ended(), 0U);
    EXPECT_EQ(epoch.next(), 1U);
}

TEST(CoreEpoch, ends_the_next_one_for_all_who_asked_before_it_began) {
    CoreEpoch epoch;
    EXPECT_EQ(epoch.next(), 1U);
    EXPECT_EQ(epoch.next(), 1U);
    epoch.request();
    epoch.try_to_advance(begin, quiescent);
    EXPECT_EQ(epoch.ended(), 1U);
    EXPECT_FALSE(epoch.is_due());
}

TEST(CoreEpoch, does_not_end_while_the_core_is_not_quiescent) {
    CoreEpoch epoch;
    epoch.request();
    for (int i = 0; i < 3; ++i) epoch.try_to_advance(begin, busy);
    EXPECT_EQ(epoch.ended(), 0U);
    EXPECT_TRUE(epoch.is_due());
    epoch.try_to_advance(begin, quiescent);
    EXPECT_EQ(epoch.ended(), 1U);
}

// What is unlinked after the core has looked whether it is quiescent is for another epoch than the one looked for.
TEST(CoreEpoch, gives_who_asks_while_one_is_under_way_the_one_after) {
    CoreEpoch epoch;
    epoch.request();
    std::uint64_t asked_meanwhile = 0;
    epoch.try_to_advance(begin, [&] {
        if (asked_meanwhile == 0) asked_meanwhile = epoch.next();
        return true;
    });
    EXPECT_EQ(asked_meanwhile, 2U);
    EXPECT_EQ(epoch.ended(), 1U);

    epoch.request();
    epoch.try_to_advance(begin, busy); // 2 has begun
    EXPECT_EQ(epoch.next(), 3U);
    epoch.request();
    epoch.try_to_advance(begin, quiescent); // both
    EXPECT_EQ(epoch.ended(), 3U);
}

// One object is published at a time; before another one takes its place, its readers must be gone. The plain value in
// it is changed then.
struct Published {
    static constexpr int valid = 1;
    struct Object {
        int value = valid;
    };
    std::array<Object, 2> objects;
    std::atomic<Object*> current{&objects[0]};
    std::atomic<bool> stopped{false};
    std::atomic<int> wrong{0};

    void read() {
        Object const* const object = current.load(std::memory_order_acquire); // pairs with replace()
        for (int i = 0; i < 20; ++i)
            if (object->value != valid) wrong.fetch_add(1, std::memory_order_relaxed);
    }
    // The one that is unlinked now.
    Object& replace() {
        Object& old = *current.load(std::memory_order_relaxed);
        Object& next = &old == &objects[0] ? objects[1] : objects[0];
        next.value = valid;
        current.store(&next, std::memory_order_release);
        return old;
    }
};

// Until told to stop, on its core; its body needs no section.
struct ReadingTask : Task {
    ReadingTask(Published& its_published, std::size_t& its_ended)
        : Task(&ReadingTask::read, Worker::current().core())
        , published(its_published)
        , ended(its_ended) {}
    static void read(Worker& worker, Task& task) {
        auto& self = static_cast<ReadingTask&>(task);
        self.published.read();
        if (!self.published.stopped.load(std::memory_order_relaxed)) return worker.append(task);
        task.body = [](Worker&, Task& at_home) { ++static_cast<ReadingTask&>(at_home).ended; };
        worker.append(task, task.home);
    }
    Published& published;
    std::size_t& ended;
};

TEST(CoreEpoch, outlasts_the_readers_of_what_was_unlinked) {
    on_machine([] {
        constexpr std::size_t replacements = 60;
        Published published;
        Worker& here = Worker::current();
        std::size_t ended = 0;
        std::array<std::optional<ReadingTask>, small_machine.cores> tasks;
        std::array<std::optional<Thread>, small_machine.cores> threads;
        auto body = [&published] {
            while (!published.stopped.load(std::memory_order_relaxed)) {
                {
                    ProtectedSection const section;
                    published.read();
                }
                this_thread::yield();
            }
        };
        for (std::size_t i = 1; i < small_machine.cores; ++i) {
            here.append(tasks[i].emplace(published, ended), core_id(i));
            auto thread = Thread::create({.core = core_id(i), .stack_bytes = MiB}, body);
            ASSERT_TRUE(thread.ok());
            threads[i].emplace(std::move(thread).value());
        }
        for (std::size_t time = 0; time < replacements; ++time) {
            Published::Object& old = published.replace();
            std::array<std::uint64_t, small_machine.cores> epochs{};
            for (std::size_t i = 1; i < epochs.size(); ++i) epochs[i] = workers::of(core_id(i)).request_epoch();
            for (std::size_t i = 1; i < epochs.size(); ++i)
                for (SpinWait wait; workers::of(core_id(i)).epoch().ended() < epochs[i];) wait.turn();
            old.value = 0; // nobody reads it
        }
        published.stopped.store(true);
        for (std::size_t i = 1; i < small_machine.cores; ++i) EXPECT_TRUE(threads[i]->join().ok());
        here.run_until([&] { return ended == small_machine.cores - 1; });
        EXPECT_EQ(published.wrong.load(), 0);
    });
}

} // namespace
} // namespace mxk::test
