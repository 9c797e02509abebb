// Semaphores and what stands on them, between threads of all cores.
#include <algorithm>
#include <array>
#include <atomic>

#include "base/log.hpp"
#include "bench/workload/random.hpp"
#include "kernel/clock.hpp"
#include "kernel/testing.hpp"
#include "tasks/threads/barrier.hpp"
#include "tasks/threads/condition.hpp"
#include "tasks/threads/mutex.hpp"
#include "tasks/threads/semaphore.hpp"
#include "tests/kernel/noise.hpp"
#include "tests/kernel/thread_group.hpp"

namespace mxk {
namespace {

constexpr std::array kinds{SemaphoreKind::Fast, SemaphoreKind::Syscall};

ThreadOptions on_core(std::size_t i, std::string_view name) {
    return {.core = core_id(i % workers::count()), .name = name, .stack_bytes = Thread::min_stack_bytes};
}

MXK_TEST(threads, semaphores_count) {
    for (SemaphoreKind const kind : kinds) {
        if (!Semaphore::supports(kind)) continue;
        Semaphore semaphore(2, kind);
        MXK_CHECK(semaphore.kind() == kind);
        MXK_CHECK(semaphore.try_wait());
        MXK_CHECK(semaphore.try_wait());
        MXK_CHECK(!semaphore.try_wait());
        semaphore.post();
        Semaphore moved(std::move(semaphore));
        MXK_CHECK(moved.try_wait());
        MXK_CHECK(!moved.try_wait());
    }
    auto const negative = Semaphore::create(-1);
    MXK_CHECK(!negative && negative.error().message() == "semaphore: expected 0 to 1073741823 units, got -1");
    MXK_CHECK(!Semaphore::create(std::int64_t{1} << 30).ok());
    MXK_CHECK(Semaphore::create(3).ok());
    MXK_CHECK(!Barrier::check(0).ok() && !Barrier::check(-5).ok() && Barrier::check(1).ok());
}

// After HelenOS' semaphore1: producers post, consumers wait, and all pass through in the end.
void pass_through(SemaphoreKind kind, std::uint32_t threads, std::uint32_t operations, std::uint32_t quarters) {
    struct User {
        Semaphore* semaphore;
        std::uint32_t left;
        bool posts;
        std::uint32_t pause_every;
        void operator()() {
            for (; left > 0; --left) {
                if (posts)
                    semaphore->post();
                else
                    semaphore->wait();
                if (left % pause_every == 0) this_thread::yield();
            }
        }
    };
    // `quarters` of four are producers; both sides make as many operations together.
    std::uint32_t const producers = threads * quarters / 4;
    std::uint32_t const consumers = threads - producers;
    std::uint64_t const units = std::uint64_t{threads} * operations / 2;
    Semaphore semaphore(0, kind);
    auto users = NodeVector<User>::create(threads, Worker::current().node());
    MXK_CHECK(users.ok());
    if (!users) return;
    auto const share = [&](std::uint32_t i, std::uint32_t of) {
        return static_cast<std::uint32_t>(units * (i + 1) / of - units * i / of);
    };
    ThreadGroup group(threads);
    std::uint32_t posters = 0;
    for (std::uint32_t i = 0; i < threads; ++i) {
        bool const posts = posters * threads < producers * (i + 1); // both kinds on all cores
        std::uint32_t const count = posts ? share(posters, producers) : share(i - posters, consumers);
        if (posts) ++posters;
        group.start(on_core(i, posts ? "producer" : "consumer"),
                    users.value().emplace(User{&semaphore, count, posts, 50 + i}));
    }
    MXK_CHECK_EQUAL(posters, producers);
    group.join(); // or the test hangs
    MXK_CHECK(!semaphore.try_wait());
    for (User const& user : users.value()) MXK_CHECK_EQUAL(user.left, 0U);
}

MXK_TEST(semaphore1, all_pass_through_a_semaphore) {
    constexpr std::uint32_t operations = check_locks ? 500 : 2'000; // builds that check are slow
    for (std::uint32_t quarters = 1; quarters <= 3; ++quarters)
        pass_through(SemaphoreKind::Fast, 200, operations, quarters);
}

MXK_LONG_TEST(semaphore1, many_operations_pass_through_a_semaphore) {
    for (std::uint32_t quarters = 1; quarters <= 3; ++quarters)
        pass_through(SemaphoreKind::Fast, 200, 10'000, quarters);
}

MXK_TEST(semaphore1, all_pass_through_a_syscall_semaphore) {
    if (!Semaphore::supports(SemaphoreKind::Syscall)) MXK_SKIP("only metal has these semaphores");
    for (std::uint32_t quarters = 1; quarters <= 3; ++quarters)
        pass_through(SemaphoreKind::Syscall, 200, 1'000, quarters);
}

MXK_TEST(semaphore1, all_pass_through_while_cores_take_their_time) {
    Noise const noise(1'000'000);
    for (SemaphoreKind const kind : kinds)
        if (Semaphore::supports(kind)) pass_through(kind, 40, 500, 2);
}

// After HelenOS' semaphore2: few units, many who want one, and who does not get it in time does without.
MXK_TEST(semaphore2, waits_end_by_a_unit_or_by_their_time) {
    constexpr std::uint32_t units = 5;
    struct User {
        Semaphore* semaphore;
        std::atomic<std::uint32_t>* inside;
        bench::Random random;
        std::uint32_t taken = 0;
        std::uint32_t timed_out = 0;
        void operator()() {
            for (int i = 0; i < 50; ++i) {
                auto const got = semaphore->wait_for(Nanoseconds{random.below(200'000)});
                MXK_CHECK(got.ok());
                if (!got.value()) {
                    ++timed_out;
                    continue;
                }
                ++taken;
                MXK_CHECK(inside->fetch_add(1, std::memory_order_relaxed) < units);
                if (random.below(4) == 0)
                    MXK_CHECK(this_thread::sleep_for(Nanoseconds{random.below(100'000)}).ok());
                else
                    this_thread::yield();
                inside->fetch_sub(1, std::memory_order_relaxed);
                semaphore->post();
            }
        }
    };
    std::uint64_t const seed = inner_tests::seed();
    for (SemaphoreKind const kind : kinds) {
        if (!Semaphore::supports(kind)) continue;
        constexpr std::size_t threads = 40;
        Semaphore semaphore(units, kind);
        std::atomic<std::uint32_t> inside{0};
        auto users = NodeVector<User>::create(threads, Worker::current().node());
        MXK_CHECK(users.ok());
        if (!users) return;
        ThreadGroup group(threads);
        for (std::size_t i = 0; i < threads; ++i)
            group.start(on_core(i, "user"),
                        users.value().emplace(User{&semaphore, &inside, bench::Random(seed * threads + i)}));
        group.join();
        std::uint32_t taken = 0;
        std::uint32_t timed_out = 0;
        for (User const& user : users.value()) {
            taken += user.taken;
            timed_out += user.timed_out;
        }
        MXK_CHECK_EQUAL(taken + timed_out, threads * 50);
        MXK_CHECK(taken > 0 && timed_out > 0);
        for (std::uint32_t i = 0; i < units; ++i) MXK_CHECK(semaphore.try_wait()); // none lost
        MXK_CHECK(!semaphore.try_wait());                                          // and none made
    }
}

MXK_TEST(semaphore2, timeouts_fire) {
    struct Waiter {
        Semaphore* semaphore;
        Nanoseconds waited{};
        bool refused = false;
        void operator()() {
            std::uint64_t const before = raw(clock::now());
            auto const got = semaphore->wait_for(Nanoseconds{3'000'000});
            waited = static_cast<Nanoseconds>(raw(clock::now()) - before);
            MXK_CHECK(got.ok() && !got.value());
            refused = !semaphore->wait_for(Nanoseconds{UINT64_MAX}).ok();
        }
    };
    Semaphore semaphore;
    Waiter waiter{&semaphore};
    ThreadGroup group(1);
    group.start(on_core(1, "waiter"), waiter);
    group.join();
    MXK_CHECK(raw(waiter.waited) >= 2'990'000);
    MXK_CHECK(raw(waiter.waited) < 1'000'000'000);
    MXK_CHECK(waiter.refused);
}

MXK_TEST(threads, a_mutex_excludes) {
    constexpr std::size_t threads = 16;
    constexpr int rounds = 500;
    struct User {
        Mutex* mutex;
        int* plain; // what the mutex is for
        int tried = 0;
        void operator()() {
            for (int i = 0; i < rounds; ++i) {
                if (i % 3 != 0) {
                    mutex->lock();
                } else if (i % 2 == 0) {
                    while (!mutex->try_lock()) this_thread::yield();
                } else {
                    while (!mutex->try_lock_for(Nanoseconds{100'000}).value()) ++tried;
                }
                int const before = *plain;
                if (i % 16 == 0) this_thread::yield();
                *plain = before + 1;
                mutex->unlock();
            }
        }
    };
    Mutex mutex;
    int plain = 0;
    User user{&mutex, &plain};
    std::array<User, threads> users{};
    users.fill(user);
    ThreadGroup group(threads);
    for (std::size_t i = 0; i < threads; ++i) group.start(on_core(i, "locker"), users[i]);
    group.join();
    MXK_CHECK_EQUAL(plain, static_cast<int>(threads) * rounds);
}

// A bounded queue, the textbook's use of condition variables.
MXK_TEST(threads, condition_variables_hand_items_over) {
    constexpr std::size_t pairs = 8;
    constexpr std::uint64_t items = 1000;
    struct Queue {
        Mutex mutex;
        ConditionVariable has_room;
        ConditionVariable has_items;
        std::array<std::uint64_t, 4> ring{};
        std::uint64_t put = 0;
        std::uint64_t taken = 0;
    } queue;
    auto producer = [&] {
        for (std::uint64_t i = 1; i <= items; ++i) {
            LockGuard const guard(queue.mutex);
            queue.has_room.wait(queue.mutex, [&] { return queue.put - queue.taken < queue.ring.size(); });
            queue.ring[queue.put++ % queue.ring.size()] = i;
            queue.has_items.notify_one();
        }
    };
    std::atomic<std::uint64_t> sum{0};
    auto consumer = [&] {
        for (std::uint64_t i = 0; i < items; ++i) {
            LockGuard const guard(queue.mutex);
            while (queue.put == queue.taken) {
                if (i % 2 == 0)
                    queue.has_items.wait(queue.mutex);
                else
                    MXK_CHECK(queue.has_items.wait_for(queue.mutex, Nanoseconds{50'000}).ok());
            }
            sum.fetch_add(queue.ring[queue.taken++ % queue.ring.size()], std::memory_order_relaxed);
            queue.has_room.notify_one();
        }
    };
    ThreadGroup group(2 * pairs);
    for (std::size_t i = 0; i < pairs; ++i) {
        group.start(on_core(i, "producer"), producer);
        group.start(on_core(i + 1, "consumer"), consumer);
    }
    group.join();
    MXK_CHECK_EQUAL(sum.load(), pairs * items * (items + 1) / 2);
}

MXK_TEST(threads, notify_all_wakes_all_that_wait) {
    constexpr std::size_t threads = 20;
    Mutex mutex;
    ConditionVariable gate;
    bool open = false;
    std::size_t waiting = 0;
    std::size_t passed = 0;
    auto waiter = [&] {
        LockGuard const guard(mutex);
        ++waiting;
        gate.wait(mutex, [&] { return open; });
        ++passed;
    };
    auto opener = [&] {
        for (bool all = false; !all;) {
            this_thread::yield();
            LockGuard const guard(mutex);
            all = waiting == threads;
            if (!all) continue;
            open = true;
            gate.notify_all();
        }
    };
    ThreadGroup group(threads + 1);
    for (std::size_t i = 0; i < threads; ++i) group.start(on_core(i, "waiter"), waiter);
    group.start(on_core(0, "opener"), opener);
    group.join();
    MXK_CHECK_EQUAL(passed, threads);
}

MXK_TEST(threads, nobody_passes_a_barrier_before_all_have_come) {
    constexpr std::uint32_t threads = 12;
    constexpr int rounds = 100;
    Barrier barrier(threads);
    std::array<std::atomic<std::uint32_t>, rounds> arrived{};
    std::atomic<int> last_ones{0};
    auto walker = [&] {
        for (int round = 0; round < rounds; ++round) {
            arrived[static_cast<std::size_t>(round)].fetch_add(1, std::memory_order_relaxed);
            if (barrier.arrive_and_wait()) last_ones.fetch_add(1, std::memory_order_relaxed);
            MXK_CHECK_EQUAL(arrived[static_cast<std::size_t>(round)].load(std::memory_order_relaxed), threads);
        }
    };
    ThreadGroup group(threads);
    for (std::size_t i = 0; i < threads; ++i) group.start(on_core(i, "walker"), walker);
    group.join();
    MXK_CHECK_EQUAL(last_ones.load(), rounds);
}

} // namespace
} // namespace mxk
