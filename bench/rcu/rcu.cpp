// `bench rcu`: what read sections, callbacks and grace periods cost in cycles. What each number is: grace_runs.hpp.
#include "bench/frame/benchmark.hpp"
#include "bench/frame/cost_experiment.hpp"
#include "bench/rcu/grace_runs.hpp"
#include "bench/rcu/rcu_options.hpp"

namespace mxk::bench {
namespace {

class RcuExperiment final : public CostExperiment<RcuMeasure, RcuOptions> {
  public:
    using Options = RcuOptions;
    static constexpr std::string_view name = "rcu";

    static Result<RcuExperiment> create(Options const& options) {
        return RcuExperiment(options, MXK_TRY(plan_of(options)));
    }

    Result<Sample> run_measure(RcuMeasure measure, CorePair cores, Progress& progress) override {
        if (options().kind == RcuKind::Qsbr) return run_of(measure, OwnGracePeriods(), cores, progress);
        a_rcu::Engine engine;
        MXK_TRY(engine.start());
        return run_of(measure, DetectedGracePeriods(engine), cores, progress);
    }
    void print_head(TextSink& out) const override {
        format(out, "rcu: {}; {} sections or callbacks, {} waits; {} runs per row\n", name_of(options().kind),
               options().operations, options().waits, options().repeat);
    }
    [[nodiscard]] std::string_view failure() const override {
        return "a callback did not run once, or before its grace period had ended, or a core halted meanwhile";
    }

  private:
    using CostExperiment::CostExperiment;

    template <typename GracePeriods>
    Result<Sample> run_of(RcuMeasure measure, GracePeriods periods, CorePair cores, Progress& progress) const {
        switch (measure) {
        case RcuMeasure::Section: return run_section(periods, cores, options().operations, progress);
        case RcuMeasure::Callback: return run_callback(periods, cores, options().operations, progress);
        case RcuMeasure::Synchronize: return run_wait(periods, cores, options().waits, false, progress);
        case RcuMeasure::Expedite: break;
        }
        return run_wait(periods, cores, options().waits, true, progress);
    }
};
constexpr auto rcu_benchmark = benchmark<RcuExperiment, rcu_schema>(
    {.summary = "cycles per read section of a thread, per callback, and per grace period while two cores are busy",
     .notes = "Example: bench rcu --measure synchronize,expedite --waits 1000 --json\n"
              "Example: bench rcu --rcu a-rcu --waits 100\n"});
MXK_REGISTER(mxk_commands, console::Command, rcu_benchmark);

} // namespace
} // namespace mxk::bench
