// For tests of read-copy-update: a callback that says that it has run, and how many grace periods a test has used.
#pragma once

#include <atomic>
#include <cstdint>

#include "kernel/clock.hpp"
#include "kernel/sync/rcu/rcu.hpp"
#include "kernel/test_remark.hpp"
#include "kernel/testing.hpp"
#include "tests/kernel/thread_group.hpp"

namespace mxk {

// Says that it has run, and that it was the one.
struct Cookie : rcu::Callback {
    static constexpr std::uint64_t valid = 0x600d'c00c'1e5a'fe00;
    Cookie() {
        function = [](Callback& self) {
            auto& cookie = static_cast<Cookie&>(self);
            cookie.was_valid = cookie.value == valid;
            cookie.has_run.store(true, std::memory_order_release);
        };
    }
    std::uint64_t value = valid;
    bool was_valid = false;
    std::atomic<bool> has_run{false};
};

inline void await(Cookie const& cookie) {
    wait_until([&] { return cookie.has_run.load(std::memory_order_acquire); });
    MXK_CHECK(cookie.was_valid);
}

// Says at the end how many grace periods a test has used.
class GracePeriodCount {
  public:
    GracePeriodCount() = default;
    GracePeriodCount(GracePeriodCount const&) = delete;
    GracePeriodCount& operator=(GracePeriodCount const&) = delete;
    ~GracePeriodCount() { inner_tests::remark(rcu::periods()->done() - before_, "grace periods"); }

  private:
    std::uint64_t before_ = rcu::periods()->done();
};

inline void let_time_pass(Nanoseconds time) {
    Cycles const until = clock::timestamp() + clock::to_cycles(time);
    wait_until([&] { return clock::timestamp() >= until; });
}
// As many grace periods as it takes to see that one does not end: other readers' end meanwhile.
inline constexpr Nanoseconds short_time{5'000'000};
inline void let_time_pass() {
    let_time_pass(short_time);
}
inline constexpr Nanoseconds long_time{1'000'000'000}; // of the original's tests

} // namespace mxk
