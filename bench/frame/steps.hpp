// run_on() as the benchmarks use it: what keeps the steps from being done is an error.
#pragma once

#include <cstddef>
#include <span>

#include "base/result.hpp"
#include "bench/frame/progress.hpp"
#include "tasks/parallel.hpp"

namespace mxk::bench {

// Instructions that one step makes, checks or runs: some milliseconds up to, so that Ctrl-C and progress get
// their turn.
constexpr std::size_t piece = 16384;

inline Error no_memory_for_steps() {
    return Error("out of memory: no room for the tasks of the run");
}

// Errors: no memory, or interrupted by Ctrl-C (a step that goes on for long must look for it too, and say Done). The
// console's task, as run_on().
template <typename Function>
Result<void> run_steps(std::span<CoreId const> cores, Progress const& progress, Function step) {
    if (!run_on(cores, step)) return no_memory_for_steps();
    return progress.check();
}

} // namespace mxk::bench
