// A Runtime as a program uses it: starts, works, ends, and starts again.
#include <gtest/gtest.h>

#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <new>
#include <optional>
#include <thread>

#include "arch/linux/pinning.hpp"
#include "arch/sections.hpp"
#include "base/log.hpp"
#include "kernel/memory/node_array.hpp"
#include "kernel/topology/system_topology.hpp"
#include "main/library/runtime.hpp"
#include "main/library/table.hpp"
#include "tasks/prefetching.hpp"
#include "tasks/run_on.hpp"
#include "tasks/stalled_core.hpp"
#include "tasks/threads/thread.hpp"
#include "tasks/wait_until.hpp"
#include "tasks/workers.hpp"
#include "tests/kernel/all_cores.hpp"

namespace mxk {
namespace {

using NumberTable = Table<std::uint64_t, std::uint64_t>;

constexpr RuntimeOptions small{.cores = 4, .nodes = 2, .memory_bytes = 256 * MiB};

// What comes of it depends on the machine; that it can be had again, gives its memory back and ends with the Runtime
// does not.
TEST(RuntimeTest, calibrates_prefetching_when_it_is_told_to) {
    {
        auto runtime = Runtime::start(small);
        ASSERT_TRUE(runtime.ok()) << runtime.error().message();
        EXPECT_EQ(prefetch_plan, PrefetchPlan{});
        runtime.value().run([](Worker& here) {
            ASSERT_TRUE(prefetching::calibrate(here).ok());
            std::size_t const used = memory::use(here.node()).used; // what its first tasks needed counted
            ASSERT_TRUE(prefetching::calibrate(here).ok());
            EXPECT_EQ(memory::use(here.node()).used, used);
            PrefetchCalibration const& found = *prefetching::state().calibration;
            EXPECT_EQ(prefetch_plan, found.plan);
            EXPECT_EQ(prefetching::state().source == prefetching::Source::Calibrated, found.is_complete);
            EXPECT_TRUE(run_on(all_cores().span(), [&](Worker& worker, std::size_t) {
                EXPECT_EQ(worker.prefetch_distance(), found.plan.tasks());
                return Step::Done;
            }));
            PrefetchPlan const given{.hint = PrefetchHint::T0, .far = 48, .near = 3};
            ASSERT_TRUE(prefetching::use(given, prefetching::Source::Given).ok());
            prefetching::settle(here); // a plan was given: it stays
            EXPECT_EQ(prefetch_plan, given);
        });
    }
    EXPECT_EQ(prefetch_plan, PrefetchPlan{});
    EXPECT_EQ(prefetching::state().source, prefetching::Source::Default);
}

// A program's own core is outside of the runtime between two run(): a report on it reads nothing of its last task,
// whose memory may be gone.
TEST(RuntimeTest, a_report_on_a_core_that_is_outside_reads_no_task_of_it) {
    auto runtime = Runtime::start(small);
    ASSERT_TRUE(runtime.ok()) << runtime.error().message();
    struct Nothing : Task {
        Nothing()
            : Task([](Worker&, Task& task) { static_cast<Nothing&>(task).has_run = true; }) {}
        bool has_run = false;
    };
    void* const page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(page, MAP_FAILED);
    runtime.value().run([&](Worker& here) {
        auto& last = *new (page) Nothing();
        here.append(last);
        here.run_until([&] { return last.has_run; });
    });
    munmap(page, 4096);
    struct Report : Task {
        Report()
            : Task([](Worker&, Task& task) {
                auto& self = static_cast<Report&>(task);
                describe_stalled_core(self.text, core_id(0));
                self.is_there.store(true, std::memory_order_release);
                self.is_there.notify_all();
            }) {}
        FixedText<200> text;
        std::atomic<bool> is_there{false};
    } report;
    workers::of(core_id(1)).append_from_outside(report);
    report.is_there.wait(false, std::memory_order_acquire);
    EXPECT_EQ(report.text.view(), "a task takes long there, or its thread is not in the runtime");
}

// The record of a detached thread is gone before its thread has left its core: what is said of it must not be.
TEST(RuntimeTest, a_detached_thread_may_end_in_a_section) {
    auto runtime = Runtime::start(small);
    ASSERT_TRUE(runtime.ok()) << runtime.error().message();
    std::size_t const warnings = log::warning_count();
    auto body = [] { arch::enter_section(); };
    runtime.value().run([&](Worker&) {
        auto thread = Thread::create({.core = core_id(1), .name = "leaver"}, body);
        ASSERT_TRUE(thread.ok());
        ASSERT_TRUE(thread.value().detach().ok());
        wait_until([&] { return log::warning_count() != warnings; });
    });
}

TEST(RuntimeTest, runs_tasks_on_every_core_again_and_again) {
    for (int round = 0; round < 3; ++round) {
        auto runtime = Runtime::start(small);
        ASSERT_TRUE(runtime.ok()) << runtime.error().message();
        EXPECT_EQ(runtime.value().topology().cores.size(), 4U);
        EXPECT_EQ(runtime.value().topology().nodes.size(), 2U);
        std::array<std::atomic<int>, 4> visits{};
        runtime.value().run([&](Worker& here) {
            EXPECT_EQ(here.core(), core_id(0));
            EXPECT_TRUE(run_on(all_cores().span(), [&](Worker& worker, std::size_t place) {
                EXPECT_EQ(index(worker.core()), place);
                EXPECT_EQ(index(worker.node()), place / 2);
                return ++visits[place] < 100 ? Step::Again : Step::Done;
            }));
        });
        for (auto const& count : visits) EXPECT_EQ(count.load(), 100);
    }
    EXPECT_EQ(memory::node_count(), 0U);
    EXPECT_EQ(workers::count(), 0U);
}

TEST(RuntimeTest, pins_its_cores_and_gives_the_thread_back_as_it_was) {
    cpu_set_t before{};
    ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
    {
        auto runtime = Runtime::start(small);
        ASSERT_TRUE(runtime.ok());
        runtime.value().run([](Worker&) {
            EXPECT_TRUE(run_on(all_cores().span(), [](Worker& worker, std::size_t) {
                EXPECT_EQ(sched_getcpu(), arch::cpu_of(worker.core()));
                return Step::Done;
            }));
        });
    }
    cpu_set_t after{};
    ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
    EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

TEST(RuntimeTest, gives_memory_of_the_node_that_was_asked_for) {
    auto runtime = Runtime::start(small);
    ASSERT_TRUE(runtime.ok());
    for (topology::Node const& node : runtime.value().topology().nodes) {
        auto const array = NodeArray<std::uint64_t>::create(1 << 20, node.id);
        ASSERT_TRUE(array.ok());
        EXPECT_EQ(array.value().node(), node.id);
        auto const address = reinterpret_cast<std::uintptr_t>(array.value().data());
        EXPECT_GE(address, raw(node.memory[0].start));
        EXPECT_LE(address + 8 * MiB, raw(node.memory[0].start) + node.memory[0].bytes);
    }
    EXPECT_FALSE(NodeArray<std::uint64_t>::create(1 << 28, node_id(0)).ok()); // 2 GiB of 256 MiB
}

TEST(RuntimeTest, says_what_it_cannot_do_and_can_be_asked_again) {
    auto const refused = Runtime::start({.cores = 1, .nodes = 2});
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().message(), "expected up to as many nodes as cores, got 2 nodes for 1 cores");
    auto const unreachable = Runtime::start({.memory_bytes = std::uint64_t{1} << 60}); // beyond any address space
    ASSERT_FALSE(unreachable.ok());
    EXPECT_EQ(unreachable.error().message(),
              "expected less than 8 TiB of memory for each node, got 1073741824 GiB for node 0");
    EXPECT_TRUE(Runtime::start(small).ok());
}

TEST(RuntimeDeathTest, belongs_to_the_thread_that_started_it) {
    EXPECT_DEATH(
        {
            auto runtime = Runtime::start(small);
            std::thread([&] { runtime.value().run([](Worker&) {}); }).join();
        },
        "only the thread that started a Runtime");
}

TEST(RuntimeTest, there_is_one_at_a_time) {
    auto const first = Runtime::start(small);
    auto const second = Runtime::start(small);
    ASSERT_FALSE(second.ok());
    EXPECT_EQ(second.error().message(), "expected one Runtime at a time: there is one in this process");
}

TEST(RuntimeTest, more_cores_than_the_program_takes_are_refused_at_once) {
    auto const refused = Runtime::start({.cores = 100'000});
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().message(), "expected up to 4096 cores, got 100000");
}

TEST(RuntimeDeathTest, a_fork_of_its_process_is_told_to_start_it_later_and_can_end) {
    EXPECT_EXIT(
        {
            auto runtime = std::optional(Runtime::start(small));
            if (fork() == 0) {
                auto const second = Runtime::start(small);
                std::string_view const expected = "expected a process without a Runtime: it was forked from one that";
                bool const is_told = !second.ok() && second.error().message().starts_with(expected);
                runtime.reset(); // as at the end of main()
                _exit(is_told ? 17 : 1);
            }
            int status = 0;
            wait(&status);
            _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 2);
        },
        testing::ExitedWithCode(17), "");
}

TEST(RuntimeDeathTest, a_table_that_outlives_it_is_named) {
    EXPECT_DEATH(
        {
            auto runtime = std::optional(Runtime::start(small));
            auto const table = NumberTable::create();
            runtime.reset();
        },
        "expected every mxk::Table, Set and lock for nodes to be gone before its Runtime");
}

TEST(RuntimeTest, a_table_that_was_moved_counts_once) {
    auto const runtime = Runtime::start(small);
    ASSERT_TRUE(runtime.ok());
    auto made = NumberTable::create();
    NumberTable const table = std::move(made).value();
    EXPECT_EQ(TableCount::alive(), 1U);
}

TEST(RuntimeDeathTest, a_thread_that_is_no_core_has_no_worker) {
    EXPECT_DEATH(
        {
            auto const runtime = Runtime::start(small);
            std::thread([] { static_cast<void>(Worker::current().core()); }).join();
        },
        "expected a core of a Runtime");
}

TEST(ResultDeathTest, a_value_of_an_error_and_an_error_of_a_value_are_named) {
    EXPECT_DEATH(static_cast<void>(Result<int>(Error("no int")).value()), "was taken of an error: no int");
    EXPECT_DEATH(static_cast<void>(Result<int>(5).error()), "asked for of a result that has a value");
}

} // namespace
} // namespace mxk
