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

// Tickets begin again after 65536: more than that are taken.
TEST_P(SpinLockStress, one_at_a_time_is_inside) {
    // A queue of threads that the system takes away takes a time slice of it for each (one minute for four on two
    // processors): what tickets are not for.
    std::uint32_t const threads = GetParam() ? 4 : 2;
    constexpr std::uint32_t rounds = 40'000;
    SpinLock lock{static_cast<LockRank>(1)};
    std::uint64_t inside = 0; // plain: TSan sees who comes without the lock
    std::uint64_t entered = 0;
    std::uint64_t wrong = 0;
    {
        std::vector<std::jthread> running;
        for (std::uint32_t thread = 0; thread < threads; ++thread) {
            running.emplace_back([&] {
                for (std::uint32_t i = 0; i < rounds; ++i) {
                    LockGuard const guard(lock);
                    if (++inside != 1) ++wrong;
                    test::RandomPause::point();
                    ++entered;
                    --inside;
                }
            });
        }
    }
    EXPECT_EQ(wrong, 0U);
    EXPECT_EQ(entered, threads * rounds);
}

INSTANTIATE_TEST_SUITE_P(ByTicketsOrWhoComesFirst, SpinLockStress, testing::Values(false, true));

} // namespace
} // namespace mxk
