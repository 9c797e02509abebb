// A benchmark of what something costs in cycles: its configurations are measures, each on a core or two. It needs an
// enumeration of measures, options, and a function for one run:
//
//     class TaskExperiment final : public CostExperiment<Measure, TaskOptions> {
//         Result<Sample> run_measure(Measure measure, CorePair cores, Progress& progress) override;
//         void print_head(TextSink& out) const override;
//     };
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include "base/result.hpp"
#include "bench/frame/core_choice.hpp"
#include "bench/frame/experiment.hpp"
#include "bench/frame/names.hpp"
#include "bench/frame/run_options.hpp"
#include "kernel/memory/node_vector.hpp"
#include "kernel/topology/system_topology.hpp"
#include "tasks/worker.hpp"

namespace mxk::bench {

// What a benchmark of costs is going to measure, on which cores, and what it cannot measure here. A measure is an
// enumeration with value_names() and placement_of().
template <typename Measure> struct MeasurePlan {
    struct Step {
        Measure measure;
        CorePair cores;
    };
    NodeVector<Step> steps;
    NodeVector<Skipped> skipped;

    // Of the measures chosen, or of all. `cores`: as CoreChoice::choose() takes them. Errors: that one's; no memory; a
    // measure that was asked for by name cannot be taken. The console's task.
    static Result<MeasurePlan> make(std::span<std::uint32_t const> cores, NameSet<Measure> const& chosen) {
        auto const choice = MXK_TRY(CoreChoice::choose(system_topology(), cores));
        NodeId const here = Worker::current().node();
        MeasurePlan plan;
        plan.steps = MXK_TRY(NodeVector<Step>::create(value_names(Measure{}).size(), here));
        plan.skipped = MXK_TRY(NodeVector<Skipped>::create(value_names(Measure{}).size(), here));
        for (auto const& [measure, name] : value_names(Measure{})) {
            if (!chosen.empty() && !chosen.has(measure)) continue;
            auto const pair = choice.cores_for(placement_of(measure));
            if (pair)
                plan.steps.emplace(measure, pair.value());
            else if (chosen.empty())
                plan.skipped.emplace(name, pair.error());
            else
                return Error::of("--measure {}: {}", name, pair.error().message());
        }
        return plan;
    }
};

// The label of a row of costs: what was measured (up to 18 characters) and on which cores.
void print_cost_label_heading(TextSink& out);
void print_cost_label(TextSink& out, std::string_view what, CorePair cores);
// The fields "measure", "cores", "core_nodes" and the settings.
void write_cost_settings(JsonWriter& json, std::string_view measure, CorePair cores, Settings const& settings);

// Options: derived from CostOptions; has `measures` and settings_of(Measure).
template <typename Measure, typename Options> class CostExperiment : public Experiment {
  public:
    [[nodiscard]] Unit unit() const final { return Unit::CyclesPerOperation; }
    [[nodiscard]] std::size_t configurations() const final { return plan_.steps.size(); }
    [[nodiscard]] std::span<Skipped const> skipped() const final { return plan_.skipped.span(); }
    [[nodiscard]] bool is_measured_as_a_whole() const final { return true; }

    Result<void> run(std::size_t configuration, std::span<Sample> samples, Progress& progress) final {
        auto const& step = plan_.steps[configuration];
        samples[0] = MXK_TRY(run_measure(step.measure, step.cores, progress));
        return {};
    }

    void print_label_heading(TextSink& out) const final { print_cost_label_heading(out); }
    void print_label(TextSink& out, Row const& row) const final {
        auto const& step = plan_.steps[row.configuration];
        print_cost_label(out, name_of(step.measure), step.cores);
    }
    void print_title(TextSink& out, Row const& row) const final {
        out.write(name_of(plan_.steps[row.configuration].measure));
    }
    void write_settings(JsonWriter& json, Row const& row) const final {
        auto const& step = plan_.steps[row.configuration];
        write_cost_settings(json, name_of(step.measure), step.cores, options_.settings_of(step.measure));
    }

  protected:
    using Plan = MeasurePlan<Measure>;

    CostExperiment(CostExperiment&&) = default;
    CostExperiment& operator=(CostExperiment&&) = default;
    ~CostExperiment() = default;

    // What derived classes' create() makes the plan of.
    static Result<Plan> plan_of(Options const& options) { return Plan::make(options.cores.values(), options.measures); }

    CostExperiment(Options const& options, Plan plan)
        : options_(options)
        , plan_(std::move(plan)) {}

    // One run. As Experiment::run().
    virtual Result<Sample> run_measure(Measure measure, CorePair cores, Progress& progress) = 0;

    [[nodiscard]] Options const& options() const { return options_; }

  private:
    Options options_;
    Plan plan_;
};

} // namespace mxk::bench
