// What peers need of threads: to stay where a core's thread stays, and to see that one sleeps.
#pragma once

#include <sys/types.h>

#include <functional>
#include <vector>

#include "base/units.hpp"
#include "bench/frame/experiment.hpp"

namespace mxk::bench {

// The calling thread shares the core's processor from now on; where cores are not pinned, neither is it. Throws
// std::system_error.
void pin_to_core(CoreId core);

// The same, as far as the thread is not there yet; false if the system refuses. For threads that others made.
bool stay_with_core(CoreId core);

// Runs the function in a thread of its own on the core's processor; returns, or throws, as it does.
void run_pinned(CoreId core, std::function<void()> const& function);

// The calling thread's number in the system; asked for once per thread.
pid_t this_thread();

// Waits until that thread of this program sleeps in the system and has done so for 20 us, as long as `bench task`
// lets a core sleep. False if it does not come to rest within a second.
bool wait_until_asleep(pid_t thread);

// Medians and percentiles of latencies, which it reorders. An error if there are none.
Result<Sample> sample_of(std::vector<double>& latencies, std::uint64_t left_out, bool verified);

} // namespace mxk::bench
