// One run of a chain of loads on a core.
#pragma once

#include "base/result.hpp"
#include "bench/frame/experiment.hpp"
#include "bench/frame/progress.hpp"
#include "bench/frame/steps.hpp"
#include "bench/machine/chase.hpp"

namespace mxk::bench {

// What a run of a chain says: nanoseconds per load.
Sample sample_of(ChaseRun const& run);

// Writes a chain in the room, measures it, both on this core. Errors: no memory for the task, or interrupted by Ctrl-C.
// The console's task; blocks it until done.
Result<Sample> measure_chase(CoreId core, ChaseRoom const& room, std::size_t loads, Progress const& progress);

// Of a chain; the same in every run, so that they can be compared.
constexpr std::uint64_t chase_seed = 1;

} // namespace mxk::bench
