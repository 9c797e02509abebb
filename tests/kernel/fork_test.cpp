// Forks and the algorithms over them in tasks, on all cores of the machine, beside tasks that are sent to cores.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "bench/workload/random.hpp"
#include "kernel/clock.hpp"
#include "kernel/memory/node_array.hpp"
#include "kernel/testing.hpp"
#include "tasks/fork/fork_group.hpp"
#include "tasks/fork/fork_place.hpp"
#include "tasks/fork/forked.hpp"
#include "tasks/fork/sorting.hpp"
#include "tasks/fork/sums.hpp"
#include "tasks/task_group.hpp"
#include "tests/delays.hpp"
#include "tests/fibonacci.hpp"
#include "tests/kernel/all_cores.hpp"
#include "tests/kernel/all_memory.hpp"

namespace mxk {
namespace {

MXK_TEST(fork, recursion_on_all_cores) {
    InjectDelays const delays;
    for (int round = 0; round < 5; ++round)
        MXK_CHECK_EQUAL(forks::enter([](ForkCore& core) { return fibonacci(core, 16); }), std::uint64_t{987});
}

// Deeper than any stack of a core; each fork has a sibling.
Forked<std::uint64_t> depth_of(std::uint64_t depth) {
    if (depth == 0) co_return 0;
    std::uint64_t below = 0;
    std::uint64_t beside = 0;
    co_await fork(beside, depth_of(0));
    co_await fork(below, depth_of(depth - 1));
    co_await join();
    co_return below + beside + 1;
}

MXK_TEST(fork, coroutines_on_all_cores_and_of_any_depth) {
    InjectDelays const delays;
    for (int round = 0; round < 5; ++round) {
        auto const number = run_forked([] { return fibonacci_of(13); });
        MXK_CHECK(number.ok());
        MXK_CHECK_EQUAL(number.value(), std::uint64_t{233});
    }
    auto const depth = run_forked([] { return depth_of(5'000); });
    MXK_CHECK(depth.ok());
    MXK_CHECK_EQUAL(depth.value(), std::uint64_t{5'000});
}

MXK_TEST(fork, coroutines_without_memory_are_given_up) {
    AllMemory all;
    all.take();
    all.give_back_until(4 * MiB);
    for (int round = 0; round < 2; ++round) {
        MXK_CHECK(!run_forked([] { return depth_of(1'000'000'000); }).ok());
        MXK_CHECK(run_forked([] { return depth_of(100); }).ok());
    }
}

MXK_TEST(fork, two_run_at_the_same_time) {
    if (workers::count() < 2) return; // one core runs one after the other
    for (int round = 0; round < 10; ++round) {
        std::atomic<int> begun{0};
        auto const meet = [&] {
            begun.fetch_add(1);
            for (SpinWait wait; begun.load() < 2;) wait.turn();
        };
        parallel_invoke(meet, meet);
        MXK_CHECK_EQUAL(begun.load(), 2);
    }
}

MXK_TEST(fork, only_those_steal_that_may) {
    if (workers::count() < 2) return;
    NodeVector<CoreId> const cores = all_cores();
    auto const steals = [&] {
        std::uint64_t sum = 0;
        for (CoreId const core : cores.span())
            for (auto const distance : {StealDistance::Cache, StealDistance::Node, StealDistance::Beyond})
                sum += static_cast<ForkCore*>(workers::of(core).forks())->steals(distance);
        return sum;
    };
    auto const meet_another = [] {
        std::atomic<int> begun{0};
        auto const meet = [&] {
            begun.fetch_add(1);
            for (SpinWait wait; begun.load() < 2;) wait.turn();
        };
        parallel_invoke(meet, meet);
    };
    meet_another(); // which is awake then, and looks for more
    CoreId const own = Worker::current().core();
    ForkCore::limit_to({&own, 1});
    std::uint64_t const before = steals();
    forks::enter([](ForkCore& core) { // so long that the others sleep
        Cycles const end = clock::timestamp() + clock::to_cycles(Nanoseconds{1'000'000});
        while (clock::timestamp() < end) MXK_CHECK_EQUAL(fibonacci(core, 16), std::uint64_t{987});
    });
    MXK_CHECK_EQUAL(steals(), before);
    ForkCore::limit_to({});
    meet_another();
    MXK_CHECK_EQUAL(steals(), before + 1);
}

MXK_TEST(fork, loops_sums_and_sorting) {
    InjectDelays const delays;
    constexpr std::size_t count = 20'000;
    auto values = NodeArray<std::uint64_t>::create(count, node_id(0));
    MXK_CHECK(values.ok());
    std::span<std::uint64_t> const all = values.value().span().first(count);
    parallel_for(0, count, [&](std::uint64_t i) { all[i] = (i * 7919) % count; });
    MXK_CHECK(parallel_sort(all).ok());
    MXK_CHECK(std::is_sorted(all.begin(), all.end()));
    auto const number = [&](std::uint64_t i) { return all[i]; };
    MXK_CHECK_EQUAL(parallel_reduce(0, count, std::uint64_t{0}, number, std::plus<>(), {.grain = 100}),
                    std::uint64_t{count * (count - 1) / 2});
    parallel_inclusive_scan<std::uint64_t>(all, all, std::plus<>());
    MXK_CHECK_EQUAL(all[count - 1], std::uint64_t{count * (count - 1) / 2});
    auto const even = parallel_partition(all, [](std::uint64_t it) { return it % 2 == 0; });
    MXK_CHECK(even.ok());
    MXK_CHECK(std::all_of(all.begin(), all.end(),
                          [&](std::uint64_t const& it) { return (it % 2 == 0) == (&it < all.data() + even.value()); }));
    std::atomic<std::uint64_t> area{0};
    parallel_for_2d(70, 30, [&](Block2d const& block) {
        area += (block.row_end - block.row_begin) * (block.column_end - block.column_begin);
    });
    MXK_CHECK_EQUAL(area.load(), std::uint64_t{2100});
}

// Tasks that are sent to cores run there, each with loops and groups of its own.
MXK_TEST(fork, beside_tasks_of_the_cores) {
    InjectDelays const delays;
    NodeVector<CoreId> const cores = all_cores();
    TaskGroup tasks(Worker::current());
    std::atomic<std::size_t> right{0};
    for (CoreId const core : cores.span())
        MXK_CHECK(tasks.spawn(Worker::current(), core, [&right, core](Worker& here) {
            std::atomic<std::uint64_t> sum{0};
            parallel_for(0, 200, [&](std::uint64_t i) { sum += i; }, {.grain = 3});
            ForkGroup group;
            for (int i = 0; i < 20; ++i) group.run([&sum] { ++sum; });
            group.wait();
            if (here.core() == core && sum == 19'920) ++right;
        }));
    tasks.wait();
    MXK_CHECK_EQUAL(right.load(), cores.size());
}

} // namespace
} // namespace mxk
