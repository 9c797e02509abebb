// `bench thread`: what threads cost in cycles: a yield, a preemption, a wake-up by a semaphore. What each number is:
// docs/bench-thread.md.
#include "bench/frame/cost_benchmark.hpp"
#include "bench/thread/thread_crew.hpp"
#include "bench/thread/thread_measures.hpp"

namespace mxk::bench {
namespace {

console::Outcome run_thread(console::Invocation& invocation, OwnThreadCosts const& options) {
    auto const plan = CostPlan<ThreadMeasure>::make(options.cores.values(), options.measures);
    if (!plan) return invocation.fail(plan.error());

    Progress progress(invocation);
    format(invocation.out, "thread: {} runs per row\n", options.repeat);
    CostBenchmark benchmark("thread", "threads did not take turns, or wake-ups were lost or doubled", plan.value(),
                            options, [&](auto const& step, Progress& shown) {
                                OwnThreads const layer{shown, microseconds(options.slice_of(step.measure))};
                                return run_measure(layer, step.measure, step.cores, options);
                            });
    return benchmark.measure(invocation, progress);
}

constexpr auto thread_benchmark = console::command<&run_thread, thread_schema>(
    {.name = "thread",
     .summary = "cycles that threads cost: per yield, per preemption, per wake-up on a core and across two",
     .parent = "bench",
     .notes = "Example: bench thread --measure yield,wake --cores 0,1 --repeat 10 --json\n"});
MXK_REGISTER(mxk_commands, console::Command, thread_benchmark);

} // namespace
} // namespace mxk::bench
