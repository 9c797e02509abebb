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

#include "base/result.hpp"
#include "bench/frame/core_choice.hpp"
#include "bench/frame/experiment.hpp"
#include "bench/frame/progress.hpp"
#include "kernel/sync/rcu/rcu.hpp"

namespace mxk::bench {

// The console's task, all of them; each blocks it until the run is over. Errors: no memory, no thread, Ctrl-C.
[[nodiscard]] Result<Sample> run_section(CorePair cores, std::uint64_t sections, Progress& progress);
[[nodiscard]] Result<Sample> run_callback(CorePair cores, std::uint64_t callbacks, Progress& progress);
[[nodiscard]] Result<Sample> run_wait(CorePair cores, std::size_t waits, rcu::Haste haste, Progress& progress);

} // namespace mxk::bench
