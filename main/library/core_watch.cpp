#include "main/library/core_watch.hpp"

#include <algorithm>
#include <chrono>

#include "arch/attention.hpp"
#include "base/log.hpp"
#include "kernel/clock.hpp"
#include "kernel/sync/rcu/rcu.hpp"
#include "tasks/stalled_core.hpp"
#include "tasks/workers.hpp"

namespace mxk {
namespace {

constexpr std::uint64_t looks_in_limit = 4;
constexpr std::uint64_t min_period = 500'000, max_period = 1'000'000'000; // nanoseconds

// Whether what it counts says what it does: not between two Runtime::run() of a core whose thread is the program's.
bool is_at_work(CoreId core) {
    return workers::serves(core) || workers::of(core).is_inside_body();
}

} // namespace

CoreWatch::CoreWatch(Nanoseconds limit, cpu_set_t const& affinity)
    : limit_(limit)
    , period_{std::clamp(raw(limit) / looks_in_limit, min_period, max_period)}
    , last_look_(clock::now())
    , cores_(workers::count(), Seen{.since = last_look_})
    , thread_([this, affinity] {
        sched_setaffinity(0, sizeof affinity, &affinity); // the thread that starts it may be pinned
        watch();
    }) {}

CoreWatch::~CoreWatch() {
    {
        std::scoped_lock const guard(mutex_);
        is_ending_ = true;
    }
    ending_.notify_one();
    thread_.join();
}

void CoreWatch::watch() {
    std::unique_lock guard(mutex_);
    while (!ending_.wait_for(guard, std::chrono::nanoseconds(raw(period_)), [this] { return is_ending_; })) {
        guard.unlock();
        look(clock::now());
        guard.lock();
    }
}

void CoreWatch::look(Nanoseconds now) {
    // Where the process or the whole machine stood still, so did the cores.
    std::uint64_t const passed = raw(now) - raw(last_look_);
    std::uint64_t const lost = passed > 2 * raw(period_) ? passed - raw(period_) : 0;
    last_look_ = now;
    for (std::size_t i = 0; i < cores_.size(); ++i) {
        cores_[i].since = Nanoseconds{raw(cores_[i].since) + lost};
        look_at(core_id(i), cores_[i], now);
    }
}

void CoreWatch::look_at(CoreId core, Seen& seen, Nanoseconds now) {
    Worker const& worker = workers::of(core);
    std::uint64_t const tasks = worker.statistics().tasks_run.value();
    std::uint64_t const idle = worker.statistics().idle.value();
    std::uint64_t const other_work = worker.other_work().value();
    bool const stays = tasks == seen.tasks && idle == seen.idle && other_work == seen.other_work && is_at_work(core) &&
                       !rcu::periods()->of(core).is_halted();
    if (!stays) {
        seen = {.tasks = tasks, .idle = idle, .other_work = other_work, .since = now};
        return;
    }
    // One that polls, or runs many short boxes of a query, comes back to its safe point.
    if (!seen.is_called) {
        seen.is_called = true;
        return arch::wake(core);
    }
    std::uint64_t const passed = raw(now) - raw(seen.since);
    if (passed < raw(limit_) || seen.is_reported) return;
    seen.is_reported = true;
    FixedText<200> what;
    if (other_work % 2 != 0) {
        what.write("a part of a loop, a box of a query or a callback runs there");
    } else if (!describe_running_task(what, core)) {
        what.write("a task took long there");
    }
    log::warn("core {} has served nothing else for {} ms: {}", core, passed / 1'000'000, what.view());
}

} // namespace mxk
