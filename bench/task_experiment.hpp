// The experiments of `bench task`, one run each: tasks that do nothing but count and check themselves, so that what is
// timed is the worker and its queue. The task that drives an experiment runs on the measured core and takes all times
// there, so that no clock of one core is compared with that of another. What each number is: docs/bench-task.md.
#pragma once

#include <atomic>

#include "base/result.hpp"
#include "bench/progress.hpp"
#include "bench/task_cores.hpp"
#include "bench/task_options.hpp"
#include "bench/task_report.hpp"
#include "tasks/worker.hpp"

namespace mxk::bench {

// How an experiment on some core and the console's task that waits for it speak: the one sends this home when it has
// done, the other says when it is to end before (Ctrl-C).
class Ending : public Task {
  public:
    explicit Ending(CoreId console_core)
        : Task(&Ending::arrive, console_core) {}

    // The experiment's last act: whatever it has written is visible to the console's task then.
    void send(Worker& worker) { worker.append(*this, home); }
    // relaxed: nothing else is read because of it
    [[nodiscard]] bool wanted() const { return wanted_.load(std::memory_order_relaxed); }

    // The console's task, once it has sent off the experiment's first task. Error: interrupted by Ctrl-C.
    Result<void> await(Progress& progress);

  private:
    static void arrive(Worker&, Task& task) { static_cast<Ending&>(task).arrived_ = true; }

    bool arrived_ = false; // the console's core only
    std::atomic<bool> wanted_{false};
};

// Each is for the console's task, and blocks it until the run is over. Errors: no memory, interrupted by Ctrl-C; of
// latencies also that no operation found the cores as they should be.

// Appends `depth` tasks to the core's own queue, which runs them, again and again. Cycles per task.
Result<TaskSample> run_local(CorePair cores, TaskOptions const& options, Progress& progress);

// `depth` tasks travel between the two cores, there and back, again and again. Cycles per task that a core takes in and
// sends on.
Result<TaskSample> run_hop(CorePair cores, TaskOptions const& options, Progress& progress);

// Tasks stream from the first core to the second, of which at most `pool` are under way. Cycles per task, from the
// first sending until the first core knows that the last one has run.
Result<TaskSample> run_stream(CorePair cores, TaskOptions const& options, Progress& progress);

// The same in both directions at once. Cycles per task that a core sends and takes in.
Result<TaskSample> run_mail(CorePair cores, TaskOptions const& options, Progress& progress);

// One task travels there and back while both cores are awake. Cycles per round trip.
Result<TaskSample> run_round_trip(CorePair cores, TaskOptions const& options, Progress& progress);

// A task is sent to the second core while that is asleep, and runs there. Cycles from before the sending until the
// first core sees that it has run.
Result<TaskSample> run_wake(CorePair cores, TaskOptions const& options, Progress& progress);

} // namespace mxk::bench
