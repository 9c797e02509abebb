// The lock concept (base/lock.hpp) with a lock that needs its nodes, and with those that do not.
#include "base/lock.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "base/no_lock.hpp"
#include "base/spin_lock.hpp"
#include "tasks/threads/mutex.hpp"
#include "tasks/threads/semaphore_lock.hpp"

namespace mxk {
namespace {

// Notes which nodes it is given, as a queue lock links them.
struct NotingLock {
    struct Node {
        int value = 7;
    };
    void lock(Node& node) {
        EXPECT_EQ(node.value, 7); // a new one
        locked.push_back(&node);
    }
    void unlock(Node& node) { unlocked.push_back(&node); }
    std::vector<Node*> locked;
    std::vector<Node*> unlocked;
};

static_assert(Lock<NotingLock> && !TryLock<NotingLock>);
static_assert(Lock<NoLock> && Lock<SpinLock>);
static_assert(TryLock<Mutex> && TryLock<SemaphoreLock>);
static_assert(!Lock<Semaphore>); // wait() and post() are not lock() and unlock()
static_assert(sizeof(LockGuard<SpinLock>) == sizeof(void*), "an empty node takes no room");
static_assert(sizeof(SemaphoreLock) == sizeof(Semaphore));

TEST(LockGuard, unlocks_with_the_node_it_locked_with) {
    NotingLock outer;
    {
        LockGuard const first(outer);
        LockGuard const second(outer);
        EXPECT_EQ(outer.locked.size(), 2U);
        EXPECT_NE(outer.locked[0], outer.locked[1]);
        EXPECT_TRUE(outer.unlocked.empty());
    }
    EXPECT_EQ(outer.unlocked, (std::vector{outer.locked[1], outer.locked[0]}));
}

TEST(LockGuardDeath, names_its_own_place_not_the_guards) {
    if (!check_locks) GTEST_SKIP() << "this build does not check locks";
    SpinLock outer(lock_bands::application.rank(0));
    SpinLock inner(lock_bands::application.rank(1));
    LockGuard const first(inner);
    EXPECT_DEATH({ LockGuard const second(outer); },
                 "a lock of rank 1 is taken while one of rank 2 is held, taken at .*"
                 "lock_test.cpp");
}

} // namespace
} // namespace mxk
