// `bench semaphore`: what semaphores cost in cycles: one that is free, two that threads hand to each other, one that
// many want. What each number is: docs/bench-thread.md.
#include "bench/frame/cost_benchmark.hpp"
#include "bench/thread/thread_crew.hpp"
#include "bench/thread/thread_measures.hpp"

namespace mxk::bench {
namespace {

console::Outcome run_semaphore(console::Invocation& invocation, OwnSemaphoreCosts const& options) {
    if (!Semaphore::supports(options.kind))
        return invocation.fail(
            Error::of("--semaphore: expected a kind that this build has, got {}", name_of(options.kind)));
    auto const plan = CostPlan<SemaphoreMeasure>::make(options.cores.values(), options.measures);
    if (!plan) return invocation.fail(plan.error());

    Progress progress(invocation);
    format(invocation.out, "semaphore: {}; {} threads in a crowd; {} runs per row\n", name_of(options.kind),
           options.threads, options.repeat);
    CostBenchmark benchmark("semaphore", "units were lost or doubled, or two threads were inside at once", plan.value(),
                            options, [&](auto const& step, Progress& shown) {
                                OwnThreads const layer{shown, microseconds(options.slice), options.kind};
                                return run_measure(layer, step.measure, step.cores, options);
                            });
    return benchmark.measure(invocation, progress);
}

constexpr auto semaphore_benchmark = console::command<&run_semaphore, semaphore_schema>(
    {.name = "semaphore",
     .summary = "cycles that semaphores cost: free, handed to and fro between two threads, wanted by many",
     .parent = "bench",
     .notes = "Example: bench semaphore --measure uncontended,crowd --threads 16 --json\n"});
MXK_REGISTER(mxk_commands, console::Command, semaphore_benchmark);

} // namespace
} // namespace mxk::bench
