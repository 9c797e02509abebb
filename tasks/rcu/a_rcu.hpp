// A-RCU (A. Hraska, "Read-Copy-Update for HelenOS", 2013), beside the grace periods of kernel/sync/rcu: for comparison
// with them, not for use. Where those count down and nobody polls, here a reclaimer thread of some core that needs a
// grace period detects its end: it sleeps for 10 ms, asks each core that has not acknowledged by an interrupt whether
// what it runs is in a section, and repeats that; then it waits for the readers that were preempted in theirs.
// Callbacks run in the reclaimer thread of the core that they were given to, after one to two grace periods.
//
// Not as there: threads have no priorities here, so a reclaimer takes its turn as any thread does, and callbacks are
// not run with preemption held off, since what they call may have to wait.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "arch/nest.hpp"
#include "base/push_stack.hpp"
#include "base/result.hpp"
#include "kernel/memory/per_core.hpp"
#include "kernel/sync/rcu/callback.hpp"
#include "tasks/threads/condition.hpp"
#include "tasks/threads/mutex.hpp"
#include "tasks/threads/semaphore.hpp"
#include "tasks/threads/thread.hpp"

namespace mxk::a_rcu {

// Tasks, threads, interrupt handlers; may nest; never blocks, and nothing in it may.
class ReadSection {
  public:
    ReadSection() { arch::enter_nest(); }
    ~ReadSection() { arch::leave_nest(); }
    ReadSection(ReadSection const&) = delete;
    ReadSection& operator=(ReadSection const&) = delete;
};

struct Statistics {
    std::uint64_t completed = 0; // grace periods
    std::uint64_t expedited = 0; // of these, in which nobody slept to the end of the 10 ms
    std::uint64_t asked = 0;     // cores that were asked, each time
    std::uint64_t waited = 0;    // grace periods that waited for readers that were preempted
};
// Of all engines that there have been, and of the one that runs. The console's task.
Statistics all_statistics();

// One at a time on the machine.
class Engine {
  public:
    Engine() = default;
    Engine(Engine const&) = delete;
    Engine& operator=(Engine const&) = delete;
    // All callbacks have run, and the reclaimers have ended. The console's task.
    ~Engine();

    // A reclaimer on each core. Once. Errors: no memory, no thread. The console's task.
    Result<void> start();

    // `callback` runs on the calling core, in its reclaimer, after a grace period that begins after this. Tasks and
    // threads, also in sections; never blocks.
    void call(rcu::Callback& callback, bool is_expedited = false);
    // The same on another core.
    void call_on(CoreId core, rcu::Callback& callback, bool is_expedited = false);

    // Returns after a grace period that has begun after the call, or when all callbacks have run that were given
    // before. Threads; not in a section, which is a panic.
    void synchronize(bool is_expedited = false);
    Result<void> barrier();

    // Any core. The newest grace period that has begun, and the newest that has ended.
    [[nodiscard]] std::uint64_t begun() const { return begun_.load(std::memory_order_acquire); }
    [[nodiscard]] std::uint64_t done() const { return done_.load(std::memory_order_acquire); }
    // Any core; while some runs, of some moments.
    [[nodiscard]] Statistics statistics() const;

  private:
    struct Core {
        Core(Engine& its_engine, CoreId its_core)
            : engine(its_engine)
            , id(its_core) {}

        void operator()(); // the reclaimer
        void run_due();
        void shift();

        Engine& engine;
        CoreId id;
        // Whatever runs there, or elsewhere, adds; the reclaimer takes.
        PushStack<rcu::Callback, &rcu::Callback::next> arriving{};
        Semaphore arrived{0};
        std::atomic<bool> wants_expedited{false};
        // The reclaimer's.
        rcu::CallbackList next{};
        rcu::CallbackList current{};
        std::uint64_t next_for = 0;
        std::uint64_t current_for = 0;
        bool is_expedited = false;
        std::optional<Thread> reclaimer{};
        // The detector's.
        bool is_missing = false;
    };

    static void post_last_reader();
    void wait_for(std::uint64_t number, bool is_expedited);
    void detect();
    void drop_quiescent();
    [[nodiscard]] bool some_are_missing() const;

    PerCore<Core> cores_;
    std::atomic<bool> stopping_{false};
    std::atomic<std::uint64_t> begun_{0};
    std::atomic<std::uint64_t> done_{0};
    // Threads change what follows, and the two above, behind it.
    Mutex mutex_;
    ConditionVariable ended_;
    ConditionVariable hurry_;
    bool is_expedited_ = false; // the one under way
    Semaphore last_reader_{0};
    std::atomic<std::uint64_t> expedited_{0};
    std::atomic<std::uint64_t> asked_{0};
    std::atomic<std::uint64_t> waited_{0};
};

} // namespace mxk::a_rcu
