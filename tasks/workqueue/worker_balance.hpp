// When a work queue (work_queue.hpp) gets one worker more or less: the rules alone, as functions of the counts. They
// are those of HelenOS' work queue (Hraska, "Read-copy-update for HelenOS", 2013;
// kernel/generic/src/synch/workqueue.c).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace mxk {

struct WorkQueueLimits {
    std::uint32_t min_idle;         // workers that stay although there is nothing to do
    std::uint32_t max_workers;      // with those that are blocked
    std::uint32_t max_running;      // without them
    std::uint32_t items_per_worker; // that wait, for each active worker, before there is to be another

    bool operator==(WorkQueueLimits const&) const = default;
};

constexpr WorkQueueLimits default_work_queue_limits(std::size_t cores) {
    auto const count = static_cast<std::uint32_t>(cores);
    return {.min_idle = std::max(2U, count / 4),
            .max_workers = std::max(32U, 8 * count),
            .max_running = std::max(2U, count),
            .items_per_worker = 8};
}

struct WorkQueueCounts {
    std::size_t items = 0;    // that wait for a worker
    std::size_t workers = 0;  // with those that are being created
    std::size_t idle = 0;     // of these, those that wait for an item
    std::size_t blocked = 0;  // of these, those that wait in a work function
    std::size_t starting = 0; // of the active ones, those that are being created, or woken

    // Run a work function, or will at once.
    [[nodiscard]] constexpr std::size_t active() const { return workers - idle - blocked; }
};

enum class Growth : std::uint8_t { None, Wake, Create };

// Whether there is to be another active worker. `may_block`: whether who asks may create one itself. Where it may not,
// one is created, by a helper, only if no other is active: else these come round to it.
constexpr Growth growth_of(WorkQueueLimits const& limits, WorkQueueCounts const& counts, bool may_block) {
    std::size_t const active = counts.active();
    if (counts.items <= limits.items_per_worker * active) return Growth::None;
    if (counts.idle > 0) return Growth::Wake;
    bool const has_room = active < limits.max_running && counts.workers < limits.max_workers;
    return has_room && (may_block || active == 0) ? Growth::Create : Growth::None;
}

// Whether an active worker that asks is to end: others wait for items already; or more run than may, since several have
// come out of their waits at the same time.
constexpr bool is_superfluous(WorkQueueLimits const& limits, WorkQueueCounts const& counts) {
    if (counts.items == 0) return counts.idle >= limits.min_idle;
    return counts.active() > limits.max_running;
}

enum class Trend : std::uint8_t { Stable, Increasing, Decreasing };

// Where the number of active workers goes to.
constexpr Trend trend_of(WorkQueueLimits const& limits, WorkQueueCounts const& counts) {
    if (counts.starting > 0) return Trend::Increasing;
    return counts.active() > 0 && is_superfluous(limits, counts) ? Trend::Decreasing : Trend::Stable;
}

} // namespace mxk
