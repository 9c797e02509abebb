// The timelines of all cores: recorded from start() to stop(), and kept for readers until the next start() or clear().
// The console's task calls all of this; each core begins and ends its own in a task, so that after stop() nobody
// writes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.hpp"
#include "kernel/memory/per_core.hpp"
#include "tasks/core_tasks.hpp"
#include "tasks/timeline/core_timeline.hpp"

namespace mxk::timeline {

struct Recording {
    std::uint32_t id; // tells it from others whose dumps stand in the same log
    PerCore<CoreTimeline> cores;
    CoreTasks tasks; // that begin and end it
};

constexpr std::size_t max_events = std::size_t{1} << 26;

// Room for so many records on each core (1 to max_events), on its node; gives back what was recorded before. Errors: it
// is being recorded already; no memory, and then nothing is recorded. Blocks the body, not its core.
Result<void> start(std::size_t events);

// Errors: nothing is being recorded.
Result<void> stop();

// What was recorded last. Errors: nothing was, or it still is being recorded.
Result<Recording const*> finished();

// Gives its memory back. Errors: it is being recorded.
Result<void> clear();

} // namespace mxk::timeline
