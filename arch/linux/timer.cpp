// One-shot timers of all cores: one thread sleeps until the earliest of them and sets its core's attention bit. It
// starts with the first timer and ends with the program.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "arch/attention.hpp"

namespace mxk::arch {
namespace {

using Clock = std::chrono::steady_clock;

class Timers {
  public:
    void arm(CoreId core, Clock::time_point when) {
        std::lock_guard const guard(mutex_);
        if (shots_.size() <= index(core)) shots_.resize(index(core) + 1, Clock::time_point::max());
        shots_[index(core)] = when; // a core has one timer: arming it again moves it
        if (!started_) std::thread([this] { serve(); }).detach();
        started_ = true;
        changed_.notify_one();
    }

    // No core is there any more: a shot that is still to come must not look for one.
    void forget() {
        std::lock_guard const guard(mutex_);
        shots_.clear();
    }

  private:
    [[noreturn]] void serve() {
        std::unique_lock guard(mutex_);
        for (;;) {
            auto earliest = Clock::time_point::max();
            auto const now = Clock::now();
            for (std::size_t i = 0; i < shots_.size(); ++i) {
                if (shots_[i] <= now) {
                    shots_[i] = Clock::time_point::max();
                    if (local_of(core_id(i)) != nullptr) notify(core_id(i), Attention::Timer);
                }
                earliest = std::min(earliest, shots_[i]);
            }
            if (earliest == Clock::time_point::max())
                changed_.wait(guard);
            else
                changed_.wait_until(guard, earliest);
        }
    }

    std::mutex mutex_; // all below
    std::condition_variable changed_;
    std::vector<Clock::time_point> shots_; // by core; max: none
    bool started_ = false;
};

Timers& timers() {
    static auto& all = *new Timers; // never destroyed: its thread has no end
    return all;
}

} // namespace

void forget_timers() {
    timers().forget();
}

void arm_timer(Cycles when) {
    if (when == never) return timers().arm(core_local().id, Clock::time_point::max());
    auto const now = Clock::now();
    std::uint64_t const ticks = raw(timestamp());
    double const seconds =
        raw(when) <= ticks ? 0 : static_cast<double>(raw(when) - ticks) / static_cast<double>(timestamp_frequency());
    constexpr double max_seconds = 1e9; // seconds, which the clock can count
    timers().arm(core_local().id, now + std::chrono::duration_cast<Clock::duration>(
                                            std::chrono::duration<double>(std::min(seconds, max_seconds))));
}

} // namespace mxk::arch
