// The stack of a core's bound tasks: its owner takes the newest, thieves the oldest, and each task is taken once, above
// all the last one, which both want.
#include <array>
#include <atomic>
#include <cstdint>

#include "base/fence.hpp"
#include "bench/workload/random.hpp"
#include "kernel/clock.hpp"
#include "kernel/memory/node_array.hpp"
#include "kernel/testing.hpp"
#include "tasks/dataflow/bound_stack.hpp"
#include "tasks/run_on.hpp"
#include "tasks/workers.hpp"
#include "tests/delays.hpp"
#include "tests/kernel/all_cores.hpp"

namespace mxk::dataflow_tests {
namespace {

using dataflow::BoundStack;
using dataflow::ReschedulableTask;

// The stack looks at no task: these are numbers from 0 on, in disguise.
ReschedulableTask& task_of(std::uint64_t number) {
    return *reinterpret_cast<ReschedulableTask*>((number + 1) * cache_line_bytes);
}
std::uint64_t number_of(ReschedulableTask const* task) {
    return reinterpret_cast<std::uintptr_t>(task) / cache_line_bytes - 1;
}

MXK_TEST(bound_stack, owner_takes_the_newest_and_thieves_the_oldest) {
    auto stack = BoundStack::create(Worker::current().node());
    MXK_REQUIRE(stack.ok());
    BoundStack& tasks = stack.value();
    MXK_CHECK(tasks.take_newest() == nullptr);
    MXK_CHECK(tasks.steal_oldest() == nullptr);
    // More than there is room for at first, also after some have been stolen: it grows twice.
    for (std::uint64_t number = 0; number < 100; ++number) MXK_CHECK(tasks.push(task_of(number)));
    for (std::uint64_t number = 0; number < 50; ++number) MXK_CHECK_EQUAL(number_of(tasks.steal_oldest()), number);
    for (std::uint64_t number = 100; number < 1000; ++number) MXK_CHECK(tasks.push(task_of(number)));
    MXK_CHECK_EQUAL(tasks.size(), 950u);
    for (std::uint64_t number = 1000; number-- > 60;) MXK_CHECK_EQUAL(number_of(tasks.take_newest()), number);
    MXK_CHECK(tasks.begin_take());
    tasks.cancel_take();
    for (std::uint64_t number = 50; number < 60; ++number) MXK_CHECK_EQUAL(number_of(tasks.steal_oldest()), number);
    MXK_CHECK(!tasks.begin_take());
    MXK_CHECK(tasks.take_newest() == nullptr);
}

// Nearly always up to three tasks are there, so that the owner and thieves meet at the last one.
void compete(std::uint64_t count) {
    auto const& cores = all_cores();
    auto stack = BoundStack::create(Worker::current().node());
    auto taken = NodeArray<std::atomic<std::uint8_t>>::create_zeroed(count, Worker::current().node());
    MXK_REQUIRE(stack.ok() && taken.ok());
    BoundStack& tasks = stack.value();
    auto const times = taken.value().span();
    std::atomic<std::uint64_t> by_thieves{0};
    std::atomic<bool> is_over{false};
    std::uint64_t pushed = 0;
    bench::Random random(inner_tests::seed());
    Cycles const start = clock::timestamp();
    auto const note = [&](ReschedulableTask const* task) {
        if (task != nullptr) times[number_of(task)].fetch_add(1, std::memory_order_relaxed);
        return task != nullptr;
    };
    auto const own_turn = [&] {
        for (std::uint64_t pushes = random.below(4); pushes > 0 && pushed + 1 < count; --pushes)
            if (tasks.push(task_of(pushed))) ++pushed;
        for (std::uint64_t takes = random.below(4); takes > 0; --takes) {
            if (random.below(2) == 0) {
                note(tasks.take_newest());
            } else if (tasks.begin_take()) {
                store_load_fence(); // the locked instruction that it asks for
                if (random.below(4) == 0)
                    tasks.cancel_take();
                else
                    note(tasks.end_take());
            }
        }
    };
    bool const is_done = run_on(cores.span(), [&](Worker&, std::size_t place) {
        if (place == 0) {
            for (unsigned turns = 0; turns < 64 && pushed + 1 < count; ++turns) own_turn();
            if (pushed + 1 < count) return Step::Again;
            if (pushed < count) {
                if (!tasks.push(task_of(pushed))) return Step::Again;
                ++pushed;
            }
            // The last one is left to thieves if they have had none: beside other programs their core may not have had
            // its processor so far.
            bool const is_late = clock::timestamp() - start >= clock::to_cycles(Nanoseconds{20'000'000'000});
            if (by_thieves.load(std::memory_order_relaxed) == 0 && !is_late) return Step::Again;
            while (note(tasks.take_newest())) {
            }
            is_over.store(true, std::memory_order_release);
            return Step::Done;
        }
        for (unsigned turns = 0; turns < 64; ++turns)
            if (note(tasks.steal_oldest())) by_thieves.fetch_add(1, std::memory_order_relaxed);
        return is_over.load(std::memory_order_acquire) ? Step::Done : Step::Again;
    });
    MXK_CHECK(is_done);
    while (note(tasks.take_newest())) {
    } // a thief that gave way while the owner looked has left it
    std::uint64_t wrong = 0;
    for (auto const& number : times) wrong += number.load(std::memory_order_relaxed) != 1;
    MXK_CHECK_EQUAL(wrong, 0u);
    MXK_CHECK(by_thieves.load() != 0);
}

MXK_TEST(bound_stack, each_task_is_taken_once) {
    if (workers::count() < 2) MXK_SKIP("needs two cores");
    compete(1'000'000);
}
MXK_TEST(bound_stack, each_task_is_taken_once_also_with_delays) {
    if (workers::count() < 2) MXK_SKIP("needs two cores");
    InjectDelays const delays;
    compete(100'000);
}

} // namespace
} // namespace mxk::dataflow_tests
