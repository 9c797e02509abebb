// `bench task`: what tasks cost in cycles: one from the local queue, a hop between cores of a node, one of a stream, a
// round trip, the wake-up of a core that sleeps. Every run checks that each task ran where, as often, and in the order
// it had to.
#include "bench/frame/cost_benchmark.hpp"
#include "bench/task/task_experiment.hpp"

namespace mxk::bench {
namespace {

using console::Invocation;

Result<CostSample> run_once(CostPlan<Measure>::Step const& step, TaskOptions const& options, Progress& progress) {
    switch (step.measure) {
    case Measure::Local: return run_local(step.cores, options, progress);
    case Measure::Hop: return run_hop(step.cores, options, progress);
    case Measure::Stream: return run_stream(step.cores, options, progress);
    case Measure::Mail: return run_mail(step.cores, options, progress);
    case Measure::RoundTrip:
    case Measure::RemoteRoundTrip: return run_round_trip(step.cores, options, progress);
    case Measure::Wake: break;
    }
    return run_wake(step.cores, options, progress);
}

console::Outcome run_task(Invocation& invocation, TaskOptions const& options) {
    auto const plan = CostPlan<Measure>::make(options.cores.values(), options.measures);
    if (!plan) return invocation.fail(plan.error());

    Progress progress(invocation);
    format(invocation.out, "task: {} tasks at once in local and hop, {} in streams; {} runs per row\n", options.depth,
           options.pool, options.repeat);
    CostBenchmark benchmark("task", "a task ran on another core, in another order, or not as often as it had to",
                            plan.value(), options,
                            [&](auto const& step, Progress& shown) { return run_once(step, options, shown); });
    return benchmark.measure(invocation, progress);
}

constexpr auto task_benchmark = console::command<&run_task, task_schema>(
    {.name = "task",
     .summary = "cycles per task: from the local queue, per hop, in a stream, per round trip, per wake-up",
     .parent = "bench",
     .notes = "Example: bench task --measure local,round-trip --cores 0,1 --repeat 10 --json\n"});
MXK_REGISTER(mxk_commands, console::Command, task_benchmark);

} // namespace
} // namespace mxk::bench
