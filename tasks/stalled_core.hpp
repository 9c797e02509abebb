// What keeps a core from being quiescent: the threads that are in read sections there, or the task that runs.
#pragma once

#include "base/text.hpp"
#include "base/units.hpp"

namespace mxk {

// In words, for a WARN, as far as it can be seen from outside. Any core; waits for a millisecond, and for a lock.
void describe_stalled_core(TextSink& out, CoreId core);

// The task that a core runs, the same way; false, with nothing written: it goes from one to the next, or cannot be
// told. Any core or thread; waits for a millisecond.
bool describe_running_task(TextSink& out, CoreId core);

} // namespace mxk
