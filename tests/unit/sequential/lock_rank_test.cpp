// The order of locks, as builds that check it see it.
#include <gtest/gtest.h>

#include "base/lock_rank.hpp"
#include "base/spin_lock.hpp"

namespace mxk {
namespace {

constexpr auto low = static_cast<LockRank>(1);
constexpr auto high = static_cast<LockRank>(2);

struct Locks {
    HeldLocks held;
    int first = 0;
    int second = 0;

    void take(int& lock, LockRank rank) {
        auto const here = std::source_location::current();
        held.taking(&lock, rank, here);
        held.taken(&lock, rank, here);
    }
    void give_back(int& lock) { held.given_back(&lock, std::source_location::current()); }
};

static_assert(lock_bands::application.rank(0) < lock_bands::application.rank(126));
static_assert(lock_bands::application.rank(126) < lock_bands::objects.rank(0));
static_assert(lock_bands::objects.rank(15) < lock_bands::memory.rank(0));
static_assert(lock_bands::memory.rank(47) < lock_bands::waking.rank(0));
static_assert(lock_bands::waking.rank(31) < lock_bands::output.rank(0));

TEST(LockRank, ascending_is_right_and_so_is_any_order_of_giving_back) {
    Locks locks;
    locks.take(locks.first, low);
    locks.take(locks.second, high);
    locks.give_back(locks.first);
    locks.give_back(locks.second);
    locks.take(locks.second, high);
    locks.give_back(locks.second);
    locks.take(locks.first, low);
}

TEST(LockRankDeath, descending_names_both_places) {
    Locks locks;
    locks.take(locks.second, high);
    EXPECT_DEATH(locks.take(locks.first, low), "a lock of rank 1 is taken while one of rank 2 is held, taken at .*"
                                               "lock_rank_test.cpp");
}

TEST(LockRankDeath, the_same_rank_twice_is_wrong) {
    Locks locks;
    locks.take(locks.first, low);
    EXPECT_DEATH(locks.take(locks.first, low), "is held \\(the same\\)");
    EXPECT_DEATH(locks.take(locks.second, low), "of rank 1 is taken while one of rank 1 is held,");
}

TEST(LockRankDeath, only_the_holder_gives_back) {
    Locks locks;
    EXPECT_DEATH(locks.give_back(locks.first), "given back by a caller that does not hold it");
}

TEST(LockRankDeath, spin_locks_are_checked_where_locks_are) {
    SpinLock outer(low);
    SpinLock inner(high);
    if (!check_locks) {
        EXPECT_EQ(sizeof(SpinLock), 8U);
        GTEST_SKIP() << "this build does not check locks";
    }
    {
        LockGuard const first(outer);
        LockGuard const second(inner);
    }
    LockGuard const first(inner);
    EXPECT_DEATH(outer.lock(), "a lock of rank 1 is taken while one of rank 2 is held");
}

} // namespace
} // namespace mxk
