// `workq`: how the work queues stand, and what they have done so far.
#include "kernel/console/command.hpp"
#include "tasks/workqueue/work_queue.hpp"

namespace mxk {
namespace {

std::string_view name_of(Trend trend) {
    switch (trend) {
    case Trend::Increasing: return "increasing";
    case Trend::Decreasing: return "decreasing";
    case Trend::Stable: break;
    }
    return "stable";
}

void print_queue(WorkQueue const& queue, void* sink) {
    TextSink& out = *static_cast<TextSink*>(sink);
    WorkQueueReport const report = queue.report();
    auto const& [min_idle, max_workers, max_running, items_per_worker] = report.limits;
    WorkQueueCounts const& counts = report.counts;
    format(out, "{}: {}{}\n", report.name, name_of(trend_of(report.limits, counts)),
           report.is_stopping ? ", stopping" : "");
    format(out, "  limits   min idle {}, max workers {}, max running {}, items per worker {}\n", min_idle, max_workers,
           max_running, items_per_worker);
    format(out, "  workers  {}: active {} (starting {}), blocked {}, idle {}; max at once {}\n", counts.workers,
           counts.active(), counts.starting, counts.blocked, counts.idle, report.max_workers_at_once);
    format(out, "  items    {} wait, {} executed\n", counts.items, report.executed);
    format(out, "  so far   {} workers created, {} ended, {} not created\n", report.created, report.ended,
           report.not_created);
}

console::Outcome show_queues(console::Invocation& invocation) {
    WorkQueue::for_each(&print_queue, &invocation.out);
    return console::Outcome::Ok;
}

constexpr auto workq_command = console::command<&show_queues>(
    {.name = "workq",
     .summary =
         "work queues: limits, workers active, blocked and idle, items, and whether workers become more or fewer",
     .group = "machine"});
MXK_REGISTER(mxk_commands, console::Command, workq_command);

} // namespace
} // namespace mxk
