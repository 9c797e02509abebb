// Whole workers on threads: tasks travel between them, all arrive, and idle workers sleep and are woken.
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "bench/workload/instructions.hpp"
#include "tasks/run_on.hpp"
#include "tasks/workers.hpp"
#include "tests/unit/memory_fixture.hpp"

namespace mxk {
namespace {

class WorkersTest : public test::MemoryTest {
  protected:
    static constexpr std::size_t cores = 4;

    // The console's body on core 0, the other workers on threads of their own until it is done.
    template <typename Console> void with_workers(Console console) {
        configure({32 * MiB, 32 * MiB}, {10, 20, 20, 10});
        std::vector<topology::Core> list;
        for (std::size_t i = 0; i < cores; ++i)
            list.push_back({core_id(i), ApicId{static_cast<std::uint32_t>(i)}, node_id(i % 2), 0});
        Arena arena([](std::size_t bytes) {
            auto const block = memory::allocate(bytes, 4 * KiB, node_id(0));
            return block ? std::span(block.value().address, bytes) : std::span<std::byte>();
        });
        ASSERT_TRUE(workers::create({.cores = list, .nodes = {}, .distances = {}}, arena).ok());

        std::vector<arch::CoreLocal> locals(cores);
        arch::reserve_cores(cores);
        std::atomic<bool> stop{false};
        std::atomic<std::size_t> ready{0};
        auto const become = [&](std::size_t i) {
            arch::adopt_core(locals[i], core_id(i));
            locals[i].kernel_core = &workers::of(core_id(i));
            ready.fetch_add(1);
            while (ready.load() < cores) std::this_thread::yield();
        };
        std::vector<std::thread> threads;
        for (std::size_t i = 1; i < cores; ++i) {
            threads.emplace_back([&, i] {
                become(i);
                Worker::current().serve_until([&] { return stop.load(); });
            });
        }
        become(0);
        console();
        stop.store(true);
        for (std::size_t i = 1; i < cores; ++i) arch::wake(core_id(i));
        for (std::thread& thread : threads) thread.join();
        arch::this_core = nullptr; // its memory goes
    }
};

struct Traveller : Task {
    explicit Traveller(std::uint64_t seed, std::size_t& home_count)
        : Task(&Traveller::go)
        , random(seed)
        , at_home(home_count) {}
    static void go(Worker& worker, Task& task) {
        auto& self = static_cast<Traveller&>(task);
        if (--self.left == 0) task.body = [](Worker&, Task& arrived) { ++static_cast<Traveller&>(arrived).at_home; };
        worker.append(task, self.left == 0 ? task.home : core_id(self.random.below(workers::count())));
    }
    bench::Random random;
    int left = 300;
    std::size_t& at_home;
};

TEST_F(WorkersTest, travellers_all_come_home) {
    with_workers([] {
        std::size_t at_home = 0;
        std::vector<Traveller> travellers;
        for (std::uint64_t i = 0; i < 100; ++i) travellers.emplace_back(i, at_home);
        for (Traveller& traveller : travellers) Worker::current().append(traveller);
        Worker::current().run_until([&] { return at_home == travellers.size(); });
        EXPECT_EQ(at_home, travellers.size());
    });
}

TEST_F(WorkersTest, run_on_runs_every_step_and_waits) {
    with_workers([] {
        std::vector<CoreId> const all = {core_id(0), core_id(1), core_id(2), core_id(3)};
        std::vector<int> steps(cores); // plain: the hand-over must order them
        for (int round = 0; round < 50; ++round) {
            ASSERT_TRUE(run_on(std::span<CoreId const>(all), [&](Worker& worker, std::size_t place) {
                EXPECT_EQ(index(worker.core()), place);
                return ++steps[place] % 10 == 0 ? Step::Done : Step::Again;
            }));
            for (int const count : steps) EXPECT_EQ(count, (round + 1) * 10);
        }
        EXPECT_EQ(Worker::current().pool().in_use(), 0);
    });
}

} // namespace
} // namespace mxk
