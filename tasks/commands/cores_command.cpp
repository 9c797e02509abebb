// `cores`: what each core's worker has done so far.
#include "kernel/console/command.hpp"
#include "tasks/workers.hpp"

namespace mxk {
namespace {

console::Outcome show_cores(console::Invocation& invocation) {
    format(invocation.out, "{:>4} {:>4} {:>11} {:>10} {:>8} {:>8} {:>7} {:>6} {:>10} {:>7}\n", "core", "node",
           "tasks run", "hops", "wakes", "sleeps", "mailbox", "waited", "prefetched", "idle");
    for (std::size_t i = 0; i < workers::count(); ++i) {
        Worker const& worker = workers::of(core_id(i));
        WorkerStatistics const& statistics = worker.statistics();
        QueueStatistics const& queue = worker.queue_statistics();
        auto const life = static_cast<double>(raw(clock::timestamp()) - statistics.started.value());
        double const idle = static_cast<double>(statistics.idle.value()) / life * 100;
        format(invocation.out, "{:4} {:4} {:11} {:10} {:8} {:8} {:7} {:6} {:10} {:5.1} %\n", worker.core(),
               worker.node(), statistics.tasks_run.value(), statistics.hops.value(), statistics.wakes.value(),
               statistics.sleeps.value(), queue.high_water.value(), queue.waited.value(), worker.prefetched().value(),
               idle);
    }
    format(invocation.out, "mailbox: highest number of tasks found in one sender's ring;\n"
                           "waited: tasks sent that found no room there\n");
    return console::Outcome::Ok;
}

constexpr auto cores_command = console::command<&show_cores>(
    {.name = "cores",
     .summary = "per core: tasks run, hops to others, wake-ups, sleeps, mailbox, prefetches, time idle",
     .group = "machine"});
MXK_REGISTER(mxk_commands, console::Command, cores_command);

} // namespace
} // namespace mxk
