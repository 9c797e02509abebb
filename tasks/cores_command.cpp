// `cores`: what each core's worker has done so far.
#include "kernel/console/command.hpp"
#include "tasks/workers.hpp"

namespace mxk {
namespace {

console::Outcome show_cores(console::Invocation& invocation) {
    if (auto const none = console::expect_no_arguments(invocation); !none) return invocation.fail(none.error());
    format(invocation.out, "{:>5} {:>5} {:>14} {:>14} {:>12} {:>12} {:>7}\n", "core", "node", "tasks run", "hops",
           "wakes", "sleeps", "idle");
    for (std::size_t i = 0; i < workers::count(); ++i) {
        Worker const& worker = workers::of(core_id(i));
        WorkerStatistics const& statistics = worker.statistics();
        auto const life = static_cast<double>(raw(clock::timestamp()) - statistics.started.value());
        double const idle = static_cast<double>(statistics.idle.value()) / life * 100;
        format(invocation.out, "{:5} {:5} {:14} {:14} {:12} {:12} {:5.1} %\n", worker.core(), worker.node(),
               statistics.tasks_run.value(), statistics.hops.value(), statistics.wakes.value(),
               statistics.sleeps.value(), idle);
    }
    return console::Outcome::Ok;
}

constexpr console::Command cores_command{
    .name = "cores",
    .summary = "per core: tasks run, hops to other cores, wake-ups sent, sleeps, share of time idle",
    .run = &show_cores,
};
MXK_REGISTER(mxk_commands, console::Command, cores_command);

} // namespace
} // namespace mxk
