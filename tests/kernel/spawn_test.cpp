// Functions as tasks, on real cores: each runs once where it was sent, and its memory comes home.
#include <atomic>

#include "kernel/testing.hpp"
#include "tasks/task_group.hpp"
#include "tests/kernel/all_cores.hpp"

namespace mxk {
namespace {

MXK_TEST(tasks, spawned_functions_run_once_where_they_were_sent) {
    Worker& here = Worker::current();
    auto const cores = all_cores();
    auto runs = NodeArray<std::uint32_t>::create_zeroed(cores.size(), here.node());
    MXK_CHECK(runs.ok());
    if (!runs.ok()) return;
    std::int64_t const in_use = here.pool().in_use();
    constexpr std::uint32_t rounds = 20;
    TaskGroup group(here);
    for (std::uint32_t round = 0; round < rounds; ++round) {
        for (std::size_t i = 0; i < cores.size(); ++i) {
            MXK_CHECK(group.spawn(here, cores[i], [&runs, i](Worker& worker) {
                MXK_CHECK_EQUAL(index(worker.core()), i);
                ++runs.value()[i]; // plain: all that write it run on one core
            }));
        }
    }
    group.wait();
    for (std::uint32_t const count : runs.value().span()) MXK_CHECK_EQUAL(count, rounds);
    MXK_CHECK_EQUAL(here.pool().in_use(), in_use);
}

// From core to core until the steps are used up, one spawn by the next, as a group that its owner only waits for.
void go_on(TaskGroup& group, Worker& worker, std::uint32_t left, std::atomic<std::uint32_t>& steps) {
    steps.fetch_add(1, std::memory_order_relaxed);
    if (left == 0) return;
    CoreId const next = core_id((index(worker.core()) + 1) % workers::count());
    MXK_CHECK(
        group.spawn(worker, next, [&group, &steps, left](Worker& there) { go_on(group, there, left - 1, steps); }));
}

MXK_TEST(tasks, a_group_waits_for_what_its_tasks_spawn) {
    constexpr std::uint32_t chains = 8;
    constexpr std::uint32_t length = 200;
    Worker& here = Worker::current();
    std::atomic<std::uint32_t> steps{0};
    TaskGroup group(here);
    for (std::uint32_t i = 0; i < chains; ++i) go_on(group, here, length, steps);
    group.wait();
    MXK_CHECK_EQUAL(steps.load(std::memory_order_relaxed), chains * (length + 1));
}

MXK_TEST(tasks, a_one_way_stream_of_spawned_tasks_does_not_drain_memory) {
    if (workers::count() < 2) MXK_SKIP("needs two cores");
    Worker& here = Worker::current();
    std::size_t blocks = 0;
    for (int round = 0; round < 10; ++round) {
        TaskGroup group(here);
        for (int i = 0; i < 1000; ++i) MXK_CHECK(group.spawn(here, core_id(1), [](Worker&) {}));
        group.wait();
        if (round == 0) blocks = here.heap().blocks().used();
    }
    MXK_CHECK_EQUAL(here.heap().blocks().used(), blocks);
}

} // namespace
} // namespace mxk
