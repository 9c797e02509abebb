// `bench semaphore`: what semaphores cost in cycles: one that is free, two that threads hand to each other, one that
// many want. What each number is: docs/bench-thread.md.
#include "bench/frame/benchmark.hpp"
#include "bench/frame/cost_experiment.hpp"
#include "bench/thread/own_threads.hpp"
#include "bench/thread/thread_measures.hpp"

namespace mxk::bench {
namespace {

class SemaphoreExperiment final : public CostExperiment<SemaphoreMeasure, OwnSemaphoreCosts> {
  public:
    static constexpr std::string_view name = "semaphore";
    using CostExperiment::CostExperiment;

    Result<void> set_up() {
        if (!Semaphore::supports(options().kind))
            return Error::of("--semaphore: expected a kind that this build has, got {}", name_of(options().kind));
        return CostExperiment::set_up();
    }

    Result<Sample> run_step(Step const& step, Progress& progress) override {
        OwnThreads const layer{progress, microseconds(options().slice), options().kind};
        return run_measure(layer, step.measure, step.cores, options());
    }
    void print_head(TextSink& out) const override {
        format(out, "semaphore: {}; {} threads in a crowd; {} runs per row\n", name_of(options().kind),
               options().threads, options().repeat.text().view());
    }
    [[nodiscard]] std::string_view failure() const override {
        return "units were lost or doubled, or two threads were inside at once";
    }
};
constexpr auto semaphore_benchmark = benchmark<SemaphoreExperiment, semaphore_schema>(
    {.summary = "cycles that semaphores cost: free, handed to and fro between two threads, wanted by many",
     .notes = "Example: bench semaphore --measure uncontended,crowd --threads 16 --json\n"});
MXK_REGISTER(mxk_commands, console::Command, semaphore_benchmark);

} // namespace
} // namespace mxk::bench
