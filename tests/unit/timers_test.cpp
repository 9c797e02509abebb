// Timers of a core: in the order of their times, again, cancelled, all at once.
#include <gtest/gtest.h>

#include <deque>
#include <vector>

#include "bench/workload/random.hpp"
#include "kernel/clock.hpp"
#include "main/library/runtime.hpp"
#include "tasks/ticker.hpp"

namespace mxk {
namespace {

struct Numbered : Timer {
    Numbered(int its_number, std::vector<int>& its_log)
        : Timer([](Worker&, Timer& timer) {
            auto& self = static_cast<Numbered&>(timer);
            EXPECT_FALSE(timer.is_set());
            self.log.push_back(self.number);
        })
        , number(its_number)
        , log(its_log) {}
    int number;
    std::vector<int>& log;
};

Cycles in_microseconds(std::uint64_t time) {
    return clock::timestamp() + clock::to_cycles(static_cast<Nanoseconds>(time * 1000));
}

class TimersTest : public testing::Test {
  protected:
    // On core 0 of a small machine.
    template <typename Body> void on_a_core(Body body) {
        auto runtime = Runtime::start({.cores = 1, .memory_bytes = 64 * MiB});
        ASSERT_TRUE(runtime.ok());
        runtime.value().run(body);
    }
    std::vector<int> log_;
};

TEST_F(TimersTest, fire_in_the_order_of_their_times) {
    on_a_core([&](Worker& worker) {
        std::deque<Numbered> timers;
        Cycles const start = in_microseconds(500);
        for (int i : {3, 1, 4, 0, 2, 5, 1})
            worker.timers().set(timers.emplace_back(i, log_),
                                start + static_cast<Cycles>(static_cast<std::uint64_t>(i) * 1000));
        worker.run_until([&] { return log_.size() == 7; });
        EXPECT_GE(raw(clock::timestamp()), raw(start));
        EXPECT_EQ(log_, (std::vector{0, 1, 1, 2, 3, 4, 5}));
    });
}

TEST_F(TimersTest, do_not_fire_once_cancelled_and_move_when_set_again) {
    on_a_core([&](Worker& worker) {
        Numbered first(1, log_);
        Numbered second(2, log_);
        Numbered third(3, log_);
        worker.timers().set(first, in_microseconds(100));
        worker.timers().set(second, in_microseconds(200));
        worker.timers().set(third, in_microseconds(300));
        EXPECT_TRUE(first.is_set());
        worker.timers().cancel(first);
        EXPECT_FALSE(first.is_set());
        worker.timers().cancel(first);
        worker.timers().set(second, in_microseconds(1000));
        worker.run_until([&] { return log_.size() == 2; });
        EXPECT_EQ(log_, (std::vector{3, 2}));
    });
}

TEST_F(TimersTest, several_tickers_tick_at_once) {
    on_a_core([&](Worker& worker) {
        int fast = 0;
        int slow = 0;
        auto const count = [](void* counter) { ++*static_cast<int*>(counter); };
        Ticker const one(Nanoseconds{200'000}, count, &fast);
        Ticker const other(Nanoseconds{1'000'000}, count, &slow);
        worker.run_until([&] { return slow >= 5; });
        EXPECT_GT(fast, slow);
    });
}

// Against a model: whatever is set, moved and cancelled.
TEST_F(TimersTest, keep_their_order_whatever_happens) {
    on_a_core([&](Worker& worker) {
        bench::Random random(1);
        std::deque<Numbered> timers;
        for (int i = 0; i < 50; ++i) timers.emplace_back(i, log_);
        std::vector<Cycles> due(50);
        Cycles const start = in_microseconds(20'000); // so that none fires meanwhile
        for (int step = 0; step < 2000; ++step) {
            std::size_t const at = random.below(50);
            if (random.below(3) == 0) {
                worker.timers().cancel(timers[at]);
            } else {
                due[at] = start + static_cast<Cycles>(random.below(100'000));
                worker.timers().set(timers[at], due[at]);
            }
        }
        std::size_t set = 0;
        for (Numbered const& timer : timers) set += timer.is_set() ? 1U : 0U;
        worker.run_until([&] { return log_.size() == set; });
        for (std::size_t i = 1; i < log_.size(); ++i)
            EXPECT_LE(raw(due[static_cast<std::size_t>(log_[i - 1])]), raw(due[static_cast<std::size_t>(log_[i])]));
    });
}

} // namespace
} // namespace mxk
