// Locks of the suite in threads of the program and in tasks (main/library/locks.hpp).
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "bench/workload/random.hpp"
#include "main/library/lock_node.hpp"
#include "main/library/locks.hpp"
#include "main/library/parallel.hpp"
#include "main/library/runtime.hpp"
#include "tests/delays.hpp"
#include "tests/unit/long_tests.hpp"

namespace mxk {
namespace {

template <typename Mutex> constexpr bool has_try = requires(Mutex& mutex) {
    mutex.try_lock();
};
template <typename Mutex> constexpr bool has_create = requires {
    Mutex::create();
};

// A lock, with what it needs.
template <typename Mutex> class Made {
  public:
    Made() {
        if constexpr (has_create<Mutex>) {
            auto made = Mutex::create();
            EXPECT_TRUE(made.ok());
            if (made.ok()) mutex_.emplace(std::move(made).value());
        } else {
            mutex_.emplace();
        }
    }
    Mutex& operator*() { return *mutex_; }

  private:
    std::optional<Mutex> mutex_;
};

template <typename Mutex> class AnyThreadLock : public testing::Test {
  protected:
    template <typename Body> static void in_threads(std::size_t count, Body body) {
        std::vector<std::thread> threads;
        for (std::size_t i = 0; i < count; ++i) threads.emplace_back([&body, i] { body(i); });
        for (std::thread& thread : threads) thread.join();
    }
    Result<Runtime> runtime_ = Runtime::start({.cores = 4, .nodes = 2, .memory_bytes = 128 * MiB, .own_threads = true});
};
using Mutexes =
    testing::Types<TtsMutex, TicketMutex, McsMutex, CohortMutex, HmcsMutex, TimedMcsMutex, TimedCohortMutex>;
TYPED_TEST_SUITE(AnyThreadLock, Mutexes);
template <typename Mutex> using AnyThreadTry = AnyThreadLock<Mutex>;
using TryMutexes = testing::Types<TtsMutex, TicketMutex, McsMutex, CohortMutex, TimedMcsMutex, TimedCohortMutex>;
TYPED_TEST_SUITE(AnyThreadTry, TryMutexes);

TYPED_TEST(AnyThreadLock, excludes_threads_that_come_and_go_and_tasks) {
    ASSERT_TRUE(this->runtime_.ok());
    constexpr std::size_t sections = 300;
    InjectDelays const delays;
    Made<TypeParam> lock;
    std::size_t count = 0; // not atomic: the lock's
    auto const section = [&](std::size_t) {
        std::scoped_lock const guard(*lock);
        ++count;
    };
    std::thread tasks([&] { EXPECT_TRUE(parallel_for(0, 4 * sections, section, {.static_shares = true})); });
    for (int round = 0; round < 3; ++round)
        this->in_threads(6, [&](std::size_t) {
            for (std::size_t i = 0; i < sections; ++i) section(i);
        });
    tasks.join();
    EXPECT_EQ(count, (4 + 3 * 6) * sections);
}

// In any order: std::scoped_lock tries the second one while it holds the first.
TYPED_TEST(AnyThreadTry, two_at_once_are_tried_without_a_deadlock) {
    ASSERT_TRUE(this->runtime_.ok());
    constexpr std::size_t sections = 500;
    InjectDelays const delays;
    Made<TypeParam> first;
    Made<TypeParam> second;
    std::size_t count = 0;
    this->in_threads(4, [&](std::size_t thread) {
        for (std::size_t i = 0; i < sections; ++i) {
            if ((thread + i) % 2 == 0) {
                std::scoped_lock const guard(*first, *second);
                ++count;
            } else {
                std::scoped_lock const guard(*second, *first);
                ++count;
            }
        }
    });
    EXPECT_EQ(count, 4 * sections);
}

TYPED_TEST(AnyThreadTry, a_try_says_at_once_whether_it_has_the_lock) {
    ASSERT_TRUE(this->runtime_.ok());
    Made<TypeParam> lock;
    for (int i = 0; i < 200; ++i) { // from ever other processors
        EXPECT_TRUE((*lock).try_lock());
        this->in_threads(2, [&](std::size_t) { EXPECT_FALSE((*lock).try_lock()); });
        (*lock).unlock();
        this->in_threads(1, [&](std::size_t) {
            EXPECT_TRUE((*lock).try_lock());
            (*lock).unlock();
        });
    }
}

TYPED_TEST(AnyThreadTry, tries_beside_acquisitions_leave_the_lock_as_it_is) {
    ASSERT_TRUE(this->runtime_.ok());
    InjectDelays const delays;
    Made<TypeParam> lock;
    std::size_t count = 0;
    std::atomic<std::size_t> tried{0};
    this->in_threads(4, [&](std::size_t thread) {
        for (std::size_t i = 0; i < 1000; ++i) {
            if (thread % 2 == 0) {
                std::scoped_lock const guard(*lock);
                ++count;
            } else if (std::unique_lock const guard(*lock, std::try_to_lock); guard.owns_lock()) {
                ++count;
                tried.fetch_add(1, std::memory_order_relaxed);
            }
        }
    });
    EXPECT_EQ(count, 2 * 1000 + tried.load());
    EXPECT_TRUE((*lock).try_lock());
    (*lock).unlock();
}

// In some threads time is over at any moment; a thread that has given up is not waited for, and the lock goes on.
TYPED_TEST(AnyThreadTry, threads_give_up_at_any_moment) {
    ASSERT_TRUE(this->runtime_.ok());
    std::size_t const tries = test::tests_are_long() ? 2'500'000 : 3'000;
    InjectDelays const delays;
    Made<TypeParam> lock;
    std::size_t count = 0;
    std::atomic<std::size_t> had{0};
    std::atomic<std::size_t> given_up{0};
    this->in_threads(4, [&](std::size_t thread) {
        bench::Random random(thread);
        for (std::size_t i = 0; i < tries; ++i) {
            std::uint64_t turns = random.below(4);
            if (turns == 3 && thread == 0) turns = ~std::uint64_t{};
            if (!(*lock).lock_unless([&] { return turns-- == 0; })) {
                given_up.fetch_add(1, std::memory_order_relaxed);
                continue;
            }
            ++count;
            RandomDelay::point();
            had.fetch_add(1, std::memory_order_relaxed);
            (*lock).unlock();
        }
    });
    EXPECT_EQ(count, had.load());
    EXPECT_EQ(had.load() + given_up.load(), 4 * tries);
    EXPECT_GT(had.load(), 0U);
    EXPECT_GT(given_up.load(), 0U);
    EXPECT_TRUE((*lock).try_lock());
    (*lock).unlock();
}

TYPED_TEST(AnyThreadTry, a_time_limit_ends_a_wait) {
    using namespace std::chrono_literals;
    ASSERT_TRUE(this->runtime_.ok());
    Made<TypeParam> lock;
    (*lock).lock();
    this->in_threads(2, [&](std::size_t) {
        auto const begin = std::chrono::steady_clock::now();
        EXPECT_FALSE((*lock).try_lock_for(2ms));
        EXPECT_GE(std::chrono::steady_clock::now() - begin, 2ms);
        EXPECT_FALSE((*lock).try_lock_until(begin)); // over before
        EXPECT_FALSE((*lock).try_lock_for(-1h));
    });
    std::thread waits([&] {
        EXPECT_TRUE((*lock).try_lock_for(std::chrono::hours::max()));
        (*lock).unlock();
    });
    (*lock).unlock();
    waits.join();
    std::unique_lock const guard(*lock, 1s);
    EXPECT_TRUE(guard.owns_lock());
}

// Those who have left are passed over, in any number, and what they have left is no more than a few lines.
TEST(AnyThreadLocks, many_leave_a_queue_one_after_the_other) {
    TimedMcsMutex lock;
    for (int round = 0; round < 3; ++round) {
        lock.lock();
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; ++i)
            threads.emplace_back([&] {
                for (int times = 0; times < 100; ++times) EXPECT_FALSE(lock.lock_unless([] { return true; }));
            });
        for (std::thread& thread : threads) thread.join();
        lock.unlock();
        EXPECT_LE(locks::spare_lock_nodes.count, locks::max_spare_lock_nodes);
    }
    EXPECT_TRUE(lock.try_lock());
    lock.unlock();
}

// Many are held at once, and given back in another order; what the thread had of nodes goes with it.
TYPED_TEST(AnyThreadLock, many_are_held_by_one_thread) {
    ASSERT_TRUE(this->runtime_.ok());
    constexpr std::size_t count = 40;
    std::vector<Made<TypeParam>> locks(count);
    this->in_threads(3, [&](std::size_t) {
        for (auto& lock : locks) (*lock).lock();
        for (std::size_t i = 0; i < count; ++i) (*locks[(7 * i + 3) % count]).unlock();
    });
}

constinit McsMutex global_mcs;
constinit TtsMutex global_tts;
constinit TicketMutex global_ticket;
constinit TimedMcsMutex global_timed_mcs;
TEST(AnyThreadLocks, global_ones_are_there_before_the_program_begins) {
    std::scoped_lock const guard(global_mcs, global_tts, global_ticket, global_timed_mcs);
    EXPECT_FALSE(global_mcs.try_lock());
}

// A thread that has used locks of many cores goes on in a Runtime of fewer.
TEST(AnyThreadLocks, a_smaller_runtime_follows_a_larger_one) {
    for (std::uint32_t const cores : {8U, 1U, 3U}) {
        auto runtime = Runtime::start({.cores = cores, .nodes = 1, .memory_bytes = 64 * MiB, .own_threads = true});
        ASSERT_TRUE(runtime.ok()) << runtime.error().message();
        auto lock = CohortMutex::create();
        ASSERT_TRUE(lock.ok());
        for (int i = 0; i < 200; ++i) {
            std::scoped_lock const guard(lock.value());
            EXPECT_FALSE(lock.value().try_lock()); // after which it counts as what holds one lock
            EXPECT_EQ(arch::lock_user().held, 1U);
        }
        EXPECT_EQ(arch::lock_user().held, 0U);
    }
}

TEST(AnyThreadLocks, those_of_all_need_no_runtime) {
    TtsMutex tts;
    TicketMutex ticket;
    McsMutex mcs;
    std::scoped_lock const guard(tts, ticket, mcs);
    EXPECT_FALSE(CohortMutex::create().ok());
    EXPECT_FALSE(HmcsMutex::create().ok());
    EXPECT_EQ(sizeof(TtsMutex), 8U);
    EXPECT_EQ(sizeof(TicketMutex), 16U);
    EXPECT_EQ(sizeof(McsMutex), 16U);
    EXPECT_EQ(sizeof(TimedMcsMutex), 16U);
}

TEST(AnyThreadLocksDeath, a_runtime_ends_after_its_locks) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_DEATH(
        {
            std::optional<CohortMutex> lock;
            auto runtime = Runtime::start({.cores = 1, .memory_bytes = 32 * MiB});
            lock.emplace(CohortMutex::create().value());
        },
        "lock for nodes to be gone before its Runtime");
}

} // namespace
} // namespace mxk
