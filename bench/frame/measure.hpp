// The measuring frame: runs every configuration of an experiment as often as was asked for, in rounds, each round
// beginning with another configuration, so that what changes slowly on the machine (temperature, other guests of a
// host) does not favour one of them. Rows are printed as soon as they and those before them are complete. At the end
// the first configuration is run again: how much its median differs is the drift that all rows may have. A drift over
// 10 % or a 95 % interval wider than a quarter of the median is a WARN: the machine was not quiet.
#pragma once

#include <string_view>

#include "bench/frame/experiment.hpp"
#include "bench/frame/run_options.hpp"
#include "kernel/console/command.hpp"

namespace mxk::bench {

// Measures and reports all of it. `name`: of the benchmark, as in `bench NAME`. Fails if a run ends with an error or a
// row is not verified; what was measured before an error is still reported. The console's task; blocks it until done.
console::Outcome measure(console::Invocation& invocation, std::string_view name, Experiment& experiment,
                         RunOptions const& options);

} // namespace mxk::bench
