// The rules of semaphores under threads, delays and TSan: no unit lost or made, first come first served, and a wait
// that is withdrawn while its unit comes.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <semaphore>
#include <thread>
#include <vector>

#include "bench/workload/random.hpp"
#include "tasks/threads/semaphore_core.hpp"
#include "tests/delays.hpp"

namespace mxk {
namespace {

using Core = SemaphoreCore;

TEST(SemaphoreCore, counts_units) {
    Core core(2);
    EXPECT_TRUE(core.try_take());
    EXPECT_TRUE(core.try_take());
    EXPECT_FALSE(core.try_take());
    EXPECT_TRUE(core.give_unless_awaited());
    EXPECT_EQ(core.give(), nullptr);
    Core moved(std::move(core));
    EXPECT_TRUE(moved.try_take());
    EXPECT_TRUE(moved.try_take());
    EXPECT_FALSE(moved.try_take());
}

TEST(SemaphoreCore, hands_units_over_in_the_order_of_coming) {
    Core core(0);
    std::deque<Core::Waiter> waiters(4);
    for (Core::Waiter& waiter : waiters) EXPECT_FALSE(core.take_or_wait(waiter));
    EXPECT_FALSE(core.give_unless_awaited());
    EXPECT_TRUE(core.withdraw(waiters[1]));
    EXPECT_FALSE(core.withdraw(waiters[1]));
    EXPECT_EQ(core.give(), &waiters[0]);
    EXPECT_FALSE(core.withdraw(waiters[0])); // it has its unit
    EXPECT_FALSE(core.try_take());           // which was never free
    EXPECT_EQ(core.give(), &waiters[2]);
    EXPECT_TRUE(core.withdraw(waiters[3])); // the last one
    EXPECT_EQ(core.give(), nullptr);
    EXPECT_TRUE(core.take_or_wait(waiters[0]));
    EXPECT_FALSE(core.take_or_wait(waiters[1])); // and again from the beginning
    EXPECT_EQ(core.give(), &waiters[1]);
}

TEST(SemaphoreCoreDeath, more_units_than_can_be_counted_are_a_panic) {
    Core core(max_semaphore_units);
    EXPECT_DEATH((void)core.give_unless_awaited(), "up to 2\\^30 - 1 units");
}

// As the thread layer uses it: a waiter sleeps until the giver wakes it.
struct Sleeper : SemaphoreCore::Waiter {
    std::binary_semaphore woken{0};
};

class SemaphoreCoreStress : public testing::TestWithParam<std::uint32_t> {
  protected:
    InjectDelays const delays_;

    static void give(Core& core) {
        if (core.give_unless_awaited()) return;
        if (auto* const waiter = core.give()) static_cast<Sleeper*>(waiter)->woken.release();
    }
    static void take(Core& core, Sleeper& self) {
        if (core.try_take() || core.take_or_wait(self)) return;
        self.woken.acquire();
    }
    // For a moment only; false: withdrawn.
    static bool take_for_a_moment(Core& core, Sleeper& self) {
        if (core.try_take() || core.take_or_wait(self)) return true;
        RandomDelay::point();
        if (core.withdraw(self)) return false;
        self.woken.acquire(); // about to come
        return true;
    }
};

// No more inside than there are units; plain memory behind one unit, for TSan; and all units there in the end.
TEST_P(SemaphoreCoreStress, keeps_its_units) {
    constexpr std::size_t threads = 6;
    constexpr int rounds = 2000;
    std::uint32_t const units = GetParam();
    Core core(units);
    std::atomic<std::uint32_t> inside{0};
    int plain = 0;
    std::atomic<int> passed{0};
    std::vector<std::thread> all;
    for (std::size_t i = 0; i < threads; ++i) {
        all.emplace_back([&, i] {
            bench::Random random(i);
            Sleeper self;
            for (int round = 0; round < rounds; ++round) {
                if (random.below(3) == 0) {
                    if (!take_for_a_moment(core, self)) continue;
                } else {
                    take(core, self);
                }
                EXPECT_LT(inside.fetch_add(1, std::memory_order_relaxed), units);
                if (units == 1) ++plain;
                passed.fetch_add(1, std::memory_order_relaxed);
                inside.fetch_sub(1, std::memory_order_relaxed);
                give(core);
            }
        });
    }
    for (std::thread& thread : all) thread.join();
    for (std::uint32_t i = 0; i < units; ++i) EXPECT_TRUE(core.try_take());
    EXPECT_FALSE(core.try_take());
    if (units == 1) {
        EXPECT_EQ(plain, passed.load());
    }
}

INSTANTIATE_TEST_SUITE_P(Units, SemaphoreCoreStress, testing::Values(1, 2, 5));

// The giver stands still right after each of its steps, so that the taker has all the time to destroy it.
struct GiverIsSlow {
    static inline thread_local bool gives = false;
    static void point() {
        if (gives) std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
};

// Whichever way the unit comes: free though a waiter has been, which withdraws just then; free; or handed over.
TEST(SemaphoreCoreStress, may_be_destroyed_while_a_slow_giver_has_not_returned) {
    InjectDelays const delays(&GiverIsSlow::point);
    for (int round = 0; round < 300; ++round) {
        auto core = std::make_unique<SemaphoreCore>(0U);
        Sleeper self;
        std::atomic<bool> waits{false};
        std::thread giver([&, it = core.get()] {
            GiverIsSlow::gives = true;
            while (!waits.load()) {
            }
            if (auto* const waiter = it->give()) static_cast<Sleeper*>(waiter)->woken.release();
        });
        bool has_unit = core->take_or_wait(self);
        waits.store(true);
        if (round % 2 == 0) std::this_thread::sleep_for(std::chrono::microseconds(round % 100));
        if (!has_unit && !core->withdraw(self)) {
            self.woken.acquire(); // about to come
            has_unit = true;
        }
        while (!has_unit) has_unit = core->try_take();
        core.reset();
        giver.join();
    }
}

// A taker may destroy it, though the giver has not returned from give() yet (join, condition variables).
TEST(SemaphoreCoreStress, may_be_destroyed_by_who_has_taken) {
    InjectDelays const delays;
    for (int round = 0; round < 2000; ++round) {
        auto core = std::make_unique<SemaphoreCore>(0U);
        std::thread giver([&, it = core.get()] {
            if (it->give_unless_awaited()) return;
            if (auto* const waiter = it->give()) static_cast<Sleeper*>(waiter)->woken.release();
        });
        Sleeper self;
        if (!core->try_take() && !core->take_or_wait(self)) self.woken.acquire();
        core.reset();
        giver.join();
    }
}

} // namespace
} // namespace mxk
