// Waiting for a grace period (kernel/sync/rcu/rcu.hpp): nobody uses any more what was unlinked before. Not in a read
// section: what waits there would wait for itself.
#pragma once

#include <array>
#include <cstddef>

#include "arch/attention.hpp"
#include "kernel/sync/rcu/rcu.hpp"
#include "tasks/task.hpp"
#include "tasks/threads/semaphore.hpp"

namespace mxk::rcu {

// Returns after a grace period that has begun after the call. A thread, or a task whose body may Worker::run_until():
// its core runs other tasks meanwhile. Some microseconds if all cores run short tasks; else until every core's
// task has ended, and with Urgency::Next, on metal, every thread's slice.
void synchronize(Urgency urgency = Urgency::Next);
// The same, and threads that run are interrupted for it.
inline void synchronize_expedited() {
    synchronize(Urgency::Expedited);
}

// Returns when all callbacks have run that were given to any core before the call. Who may call it: as synchronize().
// Errors: no memory for a callback of each core; nothing was waited for.
Result<void> barrier();

// The task is appended to the calling core's queue after a grace period, and may do then what a callback may not: wait,
// and take long. A task; never blocks.
class LaterTask : Callback {
  public:
    void append(Task& task, Urgency urgency = Urgency::Batched);

  private:
    Task* task_ = nullptr;
};

// Callbacks of one thread that must not be given faster than they run: of those that it has given this way, no more
// than `limit` wait; it waits where there would be more. (Tasks cannot outrun their core: GracePeriods::run_ready().)
class Throttle {
  public:
    static constexpr std::size_t default_limit = 8192;

    // 2 or more.
    explicit Throttle(std::size_t limit = default_limit)
        : batch_(limit / 2) {}
    Throttle(Throttle const&) = delete;
    Throttle& operator=(Throttle const&) = delete;
    // Waits until all but the last ones, fewer than half of the limit, have run.
    ~Throttle();

    // As rcu::call(), by the thread, which stays on its core. Not in a read section, which is a panic: it may wait.
    void call(Callback& callback, Urgency urgency = Urgency::Batched);

  private:
    // Behind each half of them. Callbacks run in order, so when it runs, those before it have.
    struct Marker : Callback {
        Semaphore has_run{0};
        bool is_given = false; // the thread's
    };
    static void await(Marker& marker);

    std::size_t batch_;
    std::size_t given_ = 0; // since the last marker
    std::array<Marker, 2> markers_{};
    std::size_t next_ = 0;
};

// quiescent(), if something waits.
void attend_quiescent();

// For a task (no thread) that takes long: the grace periods that wait for this core end here, as far as it is up to it.
// What it has found in shared structures is gone then, unless it is in a ReadSection. One load if none waits.
inline void quiescent() {
    if (arch::needs_attention()) [[unlikely]]
        attend_quiescent();
}

} // namespace mxk::rcu
