#include "base/spin_lock.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <thread>
#include <vector>

#include "tests/unit/random_pause.hpp"

namespace mxk {
namespace {

class SpinLockStress : public testing::TestWithParam<bool> {
  protected:
    SpinLockStress() { processors_may_be_taken = GetParam(); }
    ~SpinLockStress() override { processors_may_be_taken = before_; }

  private:
    bool before_ = processors_may_be_taken;
};

// Whether never two of the threads were inside. Between two steps there, where `Delay` says so, others come.
template <typename Delay> void take_turns(SpinLock& lock, std::uint32_t threads, std::uint32_t rounds) {
    std::uint64_t inside = 0; // plain: TSan sees a thread that enters without the lock
    std::uint64_t entered = 0;
    std::uint64_t wrong = 0;
    {
        std::vector<std::jthread> running;
        running.reserve(threads);
        for (std::uint32_t thread = 0; thread < threads; ++thread) {
            running.emplace_back([&] {
                for (std::uint32_t i = 0; i < rounds; ++i) {
                    LockGuard const guard(lock);
                    if (++inside != 1) ++wrong;
                    Delay::point();
                    ++entered;
                    --inside;
                }
            });
        }
    }
    EXPECT_EQ(wrong, 0U);
    EXPECT_EQ(entered, std::uint64_t{threads} * rounds);
}

// Tickets begin again after 65536. Of tickets for two threads only: a queue of threads that the system preempts takes
// a time slice of it for each.
TEST_P(SpinLockStress, one_at_a_time_is_inside) {
    SpinLock lock{static_cast<LockRank>(1)};
    for (int i = 0; i < 65'000; ++i) LockGuard const guard(lock);
    InjectDelays const delays;
    take_turns<test::RandomPause>(lock, GetParam() ? 4 : 2, 2'000);
}

// One enters just when another has left, as often as can be.
TEST_P(SpinLockStress, one_at_a_time_is_inside_without_delays) {
    SpinLock lock{static_cast<LockRank>(1)};
    take_turns<NoDelay>(lock, 2, 300'000);
}

INSTANTIATE_TEST_SUITE_P(ByTicketsOrWhoComesFirst, SpinLockStress, testing::Values(false, true));

} // namespace
} // namespace mxk
