// The experiments of `bench task`, one run each: tasks that do nothing but count and check themselves, so that what is
// timed is the worker and its queue. The task that drives an experiment runs on the measured core and takes all times
// there, so that no clock of one core is compared with that of another. What each number is: docs/bench-task.md.
#pragma once

#include "base/result.hpp"
#include "bench/frame/core_choice.hpp"
#include "bench/frame/experiment.hpp"
#include "bench/frame/progress.hpp"
#include "bench/task/ending.hpp"
#include "bench/task/task_options.hpp"
#include "tasks/worker.hpp"

namespace mxk::bench {

// Each is for the console's task, and blocks it until the run is over. Errors: no memory, interrupted by Ctrl-C; of
// latencies also that no operation found the cores as they should be.

// Appends `depth` tasks to the core's own queue, which runs them, again and again. Cycles per task.
Result<Sample> run_local(CorePair cores, TaskOptions const& options, Progress& progress);

// `depth` tasks travel between the two cores, there and back, again and again. Cycles per task that a core takes in and
// sends on.
Result<Sample> run_hop(CorePair cores, TaskOptions const& options, Progress& progress);

// Tasks stream from the first core to the second, of which up to `pool` are under way. Cycles per task, from the
// first sending until the first core knows that the last one has run.
Result<Sample> run_stream(CorePair cores, TaskOptions const& options, Progress& progress);

// The same in both directions at once. Cycles per task that a core sends and takes in.
Result<Sample> run_mail(CorePair cores, TaskOptions const& options, Progress& progress);

// One task travels there and back while both cores are awake. Cycles per round trip.
Result<Sample> run_round_trip(CorePair cores, TaskOptions const& options, Progress& progress);

// A task is sent to the second core while that is asleep, and runs there. Cycles from before the sending until the
// first core sees that it has run.
Result<Sample> run_wake(CorePair cores, TaskOptions const& options, Progress& progress);

} // namespace mxk::bench
