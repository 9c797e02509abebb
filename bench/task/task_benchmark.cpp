// `bench task`: what tasks cost in cycles: one from the local queue, a hop between cores of a node, one of a stream, a
// round trip, the wake-up of a core that sleeps. Every run checks that each task ran where, as often, and in the order
// it had to.
#include "bench/frame/benchmark.hpp"
#include "bench/frame/cost_experiment.hpp"
#include "bench/task/own_tasks.hpp"
#include "bench/task/task_measures.hpp"

namespace mxk::bench {
namespace {

class TaskExperiment final : public CostExperiment<Measure, TaskOptions> {
  public:
    static constexpr std::string_view name = "task";
    using CostExperiment::CostExperiment;

    Result<Sample> run_step(Step const& step, Progress& progress) override {
        OwnTasks layer(step.cores, progress);
        return run_measure(layer, step.measure, options());
    }
    void print_head(TextSink& out) const override {
        format(out, "task: {} tasks at once in local and hop, {} in streams; {} runs per row\n", options().depth,
               options().pool, options().repeat.text().view());
    }
    [[nodiscard]] std::string_view failure() const override {
        return "a task ran on another core, in another order, or not as often as it had to";
    }
};
constexpr auto task_benchmark = benchmark<TaskExperiment, task_schema>(
    {.summary = "cycles per task: from the local queue, per hop, in a stream, per round trip, per wake-up",
     .notes = "Example: bench task --measure local,round-trip --cores 0,1 --repeat 10 --json\n"});
MXK_REGISTER(mxk_commands, console::Command, task_benchmark);

} // namespace
} // namespace mxk::bench
