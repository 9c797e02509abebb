// `bench thread`: what threads cost in cycles: a yield, a preemption, a wake-up by a semaphore. What each number is:
// docs/bench-thread.md.
#include "bench/frame/benchmark.hpp"
#include "bench/frame/cost_experiment.hpp"
#include "bench/thread/own_threads.hpp"
#include "bench/thread/thread_measures.hpp"

namespace mxk::bench {
namespace {

class ThreadExperiment final : public CostExperiment<ThreadMeasure, OwnThreadCosts> {
  public:
    static constexpr std::string_view name = "thread";
    using CostExperiment::CostExperiment;

    Result<Sample> run_step(Step const& step, Progress& progress) override {
        OwnThreads const layer{progress, microseconds(options().slice_of(step.measure))};
        return run_measure(layer, step.measure, step.cores, options());
    }
    void print_head(TextSink& out) const override {
        format(out, "thread: {} runs per row\n", options().repeat.text().view());
    }
    [[nodiscard]] std::string_view failure() const override {
        return "threads did not take turns, or wake-ups were lost or doubled";
    }
};
constexpr auto thread_benchmark = benchmark<ThreadExperiment, thread_schema>(
    {.summary = "cycles that threads cost: per yield, per preemption, per wake-up on a core and across two",
     .notes = "Example: bench thread --measure yield,wake --cores 0,1 --repeat 10 --json\n"});
MXK_REGISTER(mxk_commands, console::Command, thread_benchmark);

} // namespace
} // namespace mxk::bench
