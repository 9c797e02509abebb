// What read-copy-update costs, in cycles.
//
// section: a thread enters and leaves one, again and again. (In a task it is nothing.)
//
// callback: a task gives callbacks to its core in a row, each of them again once it has run: what call(), waiting, and
// running it cost together, of a core that does nothing else.
//
// synchronize, expedite: a task waits for a grace period while both cores run short tasks without a pause; each wait
// from the call to the turn after.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/fence.hpp"
#include "base/result.hpp"
#include "bench/frame/core_choice.hpp"
#include "bench/frame/experiment.hpp"
#include "bench/frame/progress.hpp"
#include "kernel/sync/rcu/rcu.hpp"
#include "tasks/rcu/a_rcu.hpp"
#include "tasks/threads/thread.hpp"
#include "tasks/worker.hpp"

namespace mxk::bench {

// What the runs ask of grace periods: those that all else uses.
struct OwnGracePeriods {
    using Section = rcu::ReadSection;
    static void call(rcu::Callback& callback, bool is_expedited) {
        rcu::call(callback, is_expedited ? rcu::Haste::Now : rcu::Haste::Soon);
    }
    static void call_lazily(rcu::Callback& callback) { rcu::call(callback); }
    // In a callback: the task to the core's queue.
    static void append(Task& task) { Worker::current().append(task); }
    static constexpr bool callbacks_run_in_tasks = true; // of the core, or in threads
    // The first that ends after everything that is protected now; whether it has ended.
    static std::uint64_t next() { return rcu::periods()->next(); }
    static bool has_ended(std::uint64_t number) { return rcu::periods()->done() >= number; }
};

// A-RCU's, whose callbacks run in threads.
class DetectedGracePeriods {
  public:
    using Section = a_rcu::ReadSection;
    explicit DetectedGracePeriods(a_rcu::Engine& engine)
        : engine_(&engine) {}
    void call(rcu::Callback& callback, bool is_expedited) const { engine_->call(callback, is_expedited); }
    void call_lazily(rcu::Callback& callback) const { engine_->call(callback); }
    static void append(Task& task) { send_task(task, this_thread::core()); }
    static constexpr bool callbacks_run_in_tasks = false;
    [[nodiscard]] std::uint64_t next() const {
        store_load_fence();
        return engine_->begun() + 1;
    }
    [[nodiscard]] bool has_ended(std::uint64_t number) const { return engine_->done() >= number; }

  private:
    a_rcu::Engine* engine_;
};

// The console's task, all of them; each blocks it until the run is over. Errors: no memory, no thread, Ctrl-C.
// GracePeriods: one of the two above.
template <typename GracePeriods>
[[nodiscard]] Result<Sample> run_section(GracePeriods periods, CorePair cores, std::uint64_t sections,
                                         Progress& progress);
template <typename GracePeriods>
[[nodiscard]] Result<Sample> run_callback(GracePeriods periods, CorePair cores, std::uint64_t callbacks,
                                          Progress& progress);
template <typename GracePeriods>
[[nodiscard]] Result<Sample> run_wait(GracePeriods periods, CorePair cores, std::size_t waits, bool is_expedited,
                                      Progress& progress);

} // namespace mxk::bench
