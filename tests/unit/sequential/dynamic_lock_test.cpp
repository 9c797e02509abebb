// What becomes of a visitor that waits for a dynamic lock while others change it: step by step, with windows that the
// test closes. (Under load: tests/kernel/dynamic_lock_test.cpp.)
#include "kernel/sync/adaptive/dynamic_lock.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "base/no_lock.hpp"
#include "kernel/sync/adaptive/lock_cascade.hpp"

namespace mxk {
namespace {

std::vector<rcu::Callback*>& open_windows() {
    static std::vector<rcu::Callback*> windows;
    return windows;
}
void close_windows() {
    for (rcu::Callback* const callback : std::exchange(open_windows(), {})) callback->function(*callback);
}

struct HeldWindow {
    static constexpr bool closes_at_once = false;
    static void close_later(rcu::Callback& callback, rcu::Urgency) { open_windows().push_back(&callback); }
};

// A visitor that waits looks, sleeps through `meanwhile`, and looks then once in each grace period.
struct SleepingVisit {
    static inline std::function<void()> meanwhile;
    static inline bool has_waited_in_vain = false;

    static void begin() {}
    static void begin_locked() {}
    static void end_unlocked() {}
    static void end_locked() {}
    template <typename Done> static void wait(Done done) {
        if (done()) return;
        if (auto const once = std::exchange(meanwhile, nullptr)) once();
        for (int periods = 0; periods < 8; ++periods) {
            if (done()) return;
            close_windows();
        }
        has_waited_in_vain = true;
    }
};

// Everybody's own thread is the owner of what it disables.
template <typename Body> void as_another(Body body) {
    std::thread(body).join();
}

template <typename LockType> void make_free_for_caller(LockType& lock) {
    if constexpr (requires { lock.claim(); })
        EXPECT_TRUE(lock.claim());
    else
        EXPECT_TRUE(lock.disable());
    close_windows();
}

class WaitingVisitor : public testing::Test {
  protected:
    WaitingVisitor() { SleepingVisit::has_waited_in_vain = false; }
    ~WaitingVisitor() override { close_windows(); }

    // It comes to what is another one's without a lock; what it has waited for comes about, and is over before it
    // looks.
    template <typename LockType, typename Visit> static void comes_too_late(LockType& lock, Visit visit) {
        as_another([&] { make_free_for_caller(lock); });
        SleepingVisit::meanwhile = [&] {
            close_windows();
            as_another([&] { make_free_for_caller(lock); });
        };
        visit();
        EXPECT_FALSE(SleepingVisit::has_waited_in_vain);
    }
};

TEST_F(WaitingVisitor, of_a_lock_that_was_disabled_again_enables_it_again) {
    DynamicLock<NoLock, SleepingVisit, HeldWindow> lock;
    comes_too_late(lock, [&] {
        DynamicLock<NoLock, SleepingVisit, HeldWindow>::Node node;
        lock.lock(node);
        EXPECT_TRUE(node.is_locked);
        lock.unlock(node);
    });
}

using Cascade = LockCascade<NoLock, SleepingVisit, HeldWindow>;
constexpr LockRank some_rank = static_cast<LockRank>(1);

TEST_F(WaitingVisitor, of_a_cascade_that_was_claimed_again_makes_it_coarse_again) {
    Cascade cascade(2, node_id(0), some_rank, some_rank);
    comes_too_late(cascade, [&] {
        Cascade::Node node;
        cascade.lock(1, node);
        EXPECT_TRUE(node.has_coarse);
        cascade.unlock(node);
    });
}

// So does one that enables the lock which has been made everybody's without it meanwhile.
TEST(LockState, that_has_given_way_is_not_enabled_by_visitors) {
    LockState<HeldWindow> state;
    state.give_way();
    EXPECT_FALSE(state.enable(rcu::Urgency::Expedited));
    EXPECT_TRUE(open_windows().empty());
    EXPECT_TRUE(state.look().is_free_for(LockState<HeldWindow>::everybody));
    state.take_back();
    state.is_back();
    EXPECT_TRUE(state.is_enabled());
}

} // namespace
} // namespace mxk
