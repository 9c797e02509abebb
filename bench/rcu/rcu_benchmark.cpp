// `bench rcu`: what read sections, callbacks and grace periods cost in cycles. What each number is: grace_runs.hpp.
#include <cstdint>

#include "bench/frame/benchmark.hpp"
#include "bench/frame/cost_experiment.hpp"
#include "bench/frame/run_options.hpp"
#include "bench/rcu/grace_runs.hpp"
#include "kernel/console/options.hpp"

namespace mxk::bench {

constexpr Placement placement_of(RcuMeasure measure) {
    bool const is_alone = measure == RcuMeasure::Section || measure == RcuMeasure::Callback;
    return is_alone ? Placement::OneCore : Placement::SameNode;
}

namespace {

struct RcuOptions : CostOptions {
    NameSet<RcuMeasure> measures{};
    RcuKind kind = RcuKind::Qsbr;
    std::uint64_t operations = 1'000'000;
    std::uint32_t waits = 2000;

    // For the row.
    [[nodiscard]] Settings settings_of(RcuMeasure) const {
        Settings settings;
        settings.add("rcu", name_of(kind));
        return settings;
    }
};

constexpr auto rcu_schema = console::schema<RcuOptions>(
    console::option<&RcuOptions::measures>(
        "measure", "section, callback, synchronize, expedite (none given: all that the machine can do)"),
    console::option<&RcuOptions::kind>("rcu", "whose: MXK's, or A-RCU, whose detector asks cores by interrupts"),
    cost_option::cores,
    console::option<&RcuOptions::operations>("ops", "per run: section, callback", console::between(1, 4'000'000'000)),
    console::option<&RcuOptions::waits>("waits", "per run: synchronize, expedite", console::between(1, 10'000'000)),
    run_option::all);

class RcuExperiment final : public CostExperiment<RcuMeasure, RcuOptions> {
  public:
    static constexpr std::string_view name = "rcu";
    using CostExperiment::CostExperiment;

    Result<Sample> run_step(Step const& step, Progress& progress) override {
        bool const waits = step.measure == RcuMeasure::Synchronize || step.measure == RcuMeasure::Expedite;
        std::uint64_t const count = waits ? options().waits : options().operations;
        return run_rcu(options().kind, step.measure, step.cores, count, progress);
    }
    void print_head(TextSink& out) const override {
        format(out, "rcu: {}; {} sections or callbacks, {} waits; {} runs per row\n", name_of(options().kind),
               options().operations, options().waits, options().repeat.text().view());
    }
    [[nodiscard]] std::string_view failure() const override {
        return "a callback did not run once, or before its grace period had ended, or a core halted meanwhile";
    }
};
constexpr auto rcu_benchmark = benchmark<RcuExperiment, rcu_schema>(
    {.summary = "cycles per read section of a thread, per callback, and per grace period while two cores are busy",
     .notes = "Example: bench rcu --measure synchronize,expedite --waits 1000 --json\n"
              "Example: bench rcu --rcu a-rcu --waits 100\n"});
MXK_REGISTER(mxk_commands, console::Command, rcu_benchmark);

} // namespace
} // namespace mxk::bench
