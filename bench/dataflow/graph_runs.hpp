// In which ways requests that are graphs come. Each runs a scenario at one point, and fills in the sample. Errors: no
// memory, cancelled, what a request ends with. The console's task; its core works meanwhile.
#pragma once

#include "bench/dataflow/dataflow_experiment.hpp"

namespace mxk::bench {

// One request alone, ours or a peer's: rows per second.
Result<void> run_alone(DataflowRun const& run);
// Some, one after the other, and one whose boxes are timed: the time of one, by what no schedule can beat.
Result<void> run_in_turn(DataflowRun const& run);
// A number of them is under way at any time: rows per second.
Result<void> run_streamed(DataflowRun const& run);
// As mix does, with what the scheduler has counted.
Result<void> run_mixed(DataflowRun const& run);
// All at once: the time of one, memory at the peak, and what is left.
Result<void> run_flood(DataflowRun const& run);
// One after the other, faster than they can be served: the time of one from the moment when it comes.
Result<void> run_staggered(DataflowRun const& run);
// What sweeps say at the end: how good the recommended size is.
void conclude_sizes(TextSink& out, DataflowExperiment const& bench, std::span<Row const> rows);

} // namespace mxk::bench
