// Remote calls between host threads as cores, without workers: each serves only while it waits itself, which is enough
// for all of them to get on. TSan sees what the calls order.
#include "kernel/remote_call.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "arch/attention.hpp"
#include "bench/workload/random.hpp"
#include "tests/unit/memory_fixture.hpp"

namespace mxk::test {
namespace {

class RemoteCallTest : public MemoryTest {
  protected:
    static constexpr std::size_t cores = 4;

    void SetUp() override {
        configure({1 * MiB, 1 * MiB});
        std::vector<topology::Core> list;
        for (std::size_t i = 0; i < cores; ++i)
            list.push_back({core_id(i), ApicId{static_cast<std::uint32_t>(i)}, node_id(i % 2), 0});
        ASSERT_TRUE(remote_calls::create(list).ok());
        arch::reserve_cores(cores);
    }
    void TearDown() override {
        remote_calls::forget();
        arch::reserve_cores(0);
        MemoryTest::TearDown();
    }

    // body(i) on each core; a core that has ended serves until all have.
    template <typename Body> void on_all(Body body) {
        std::vector<arch::CoreLocal> locals(cores);
        std::atomic<std::size_t> ready{0};
        std::atomic<std::size_t> left{cores};
        std::vector<std::thread> threads;
        for (std::size_t i = 0; i < cores; ++i) {
            threads.emplace_back([&, i] {
                arch::adopt_core(locals[i], core_id(i));
                ready.fetch_add(1);
                while (ready.load() < cores) std::this_thread::yield();
                body(i);
                for (left.fetch_sub(1); left.load() > 0; std::this_thread::yield()) remote_calls::serve();
                remote_calls::serve();
                arch::this_core = nullptr;
            });
        }
        for (std::thread& thread : threads) thread.join();
    }
};

TEST_F(RemoteCallTest, each_runs_once_on_the_core_that_was_called) {
    constexpr std::size_t calls = 500;
    std::vector<std::vector<std::size_t>> run_on_core(cores); // touched by its core only
    on_all([&](std::size_t self) {
        bench::Random random(self);
        for (std::size_t i = 0; i < calls; ++i) {
            std::size_t const target = random.below(cores);
            std::size_t result = 0;
            call_on(core_id(target), [&] {
                ASSERT_EQ(arch::core_local().id, core_id(target));
                run_on_core[target].push_back(self * calls + i);
                result = target + 1;
            });
            ASSERT_EQ(result, target + 1);
        }
    });
    std::vector<std::size_t> all;
    for (auto const& some : run_on_core) all.insert(all.end(), some.begin(), some.end());
    std::sort(all.begin(), all.end());
    ASSERT_EQ(all.size(), cores * calls);
    for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], i);
}

// One caller's run in its order; and one that is called may call in turn, also back.
TEST_F(RemoteCallTest, a_called_function_may_call_back) {
    on_all([&](std::size_t self) {
        std::size_t const other = (self + 1) % cores;
        for (std::size_t i = 0; i < 100; ++i) {
            std::size_t answer = 0;
            call_on(core_id(other), [&] { call_on(core_id(self), [&] { answer = i + 1; }); });
            ASSERT_EQ(answer, i + 1);
        }
    });
}

TEST_F(RemoteCallTest, a_call_tells_a_core_that_sleeps) {
    std::atomic<bool> called{false};
    on_all([&](std::size_t self) {
        if (self == 1) {
            arch::halt_until_attention();
            EXPECT_NE(arch::take_attention() & static_cast<std::uint32_t>(arch::Attention::Call), 0U);
            remote_calls::serve();
            EXPECT_TRUE(called.load());
        } else if (self == 0) {
            call_on(core_id(1), [&] { called.store(true); });
        }
    });
}

} // namespace
} // namespace mxk::test
