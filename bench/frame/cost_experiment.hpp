// What benchmarks of costs have in common, that is of one core or two, in cycles per operation: a configuration is a
// measure and its cores, and has one phase. `bench task` and `bench thread` are such, and their peers.
//
//     class TaskExperiment final : public CostExperiment<Measure, TaskOptions> {
//         using CostExperiment::CostExperiment;
//         Result<Sample> run_step(Step const& step, Progress& progress) override;
//         void print_head(TextSink& out) const override;
//     };
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "base/result.hpp"
#include "bench/frame/core_choice.hpp"
#include "bench/frame/experiment.hpp"
#include "bench/frame/names.hpp"
#include "bench/frame/run_options.hpp"
#include "kernel/memory/node_vector.hpp"
#include "kernel/topology/system_topology.hpp"
#include "tasks/worker.hpp"

namespace mxk::bench {

// The label of a row of costs: what was measured (up to 18 characters) and on which cores.
void print_cost_label_heading(TextSink& out);
void print_cost_label(TextSink& out, std::string_view what, CorePair cores);
// The fields "measure", "cores", "core_nodes" and the settings.
void write_cost_settings(JsonWriter& json, std::string_view measure, CorePair cores, Settings const& settings);

// ItsMeasure: an enumeration with value_names() and placement_of(). ItsOptions: derived from CostOptions; has
// `measures` and settings_of(Measure).
template <typename ItsMeasure, typename ItsOptions> class CostExperiment : public Experiment {
  public:
    using Measure = ItsMeasure;
    using Options = ItsOptions;

    // `options` live on.
    explicit CostExperiment(Options const& options)
        : options_(options) {}

    // Before all others, once. Errors: as CoreChoice::choose(); no memory; a measure that was asked for by name cannot
    // be taken. The console's task.
    Result<void> set_up() {
        auto const choice = MXK_TRY(CoreChoice::choose(system_topology(), options_.cores.values()));
        MXK_TRY(make_room(value_names(Measure{}).size()));
        for (auto const& [measure, name] : value_names(Measure{})) {
            if (!is_chosen(measure)) continue;
            auto const pair = choice.cores_for(placement_of(measure));
            if (pair)
                steps_.emplace(measure, pair.value(), 0U);
            else if (options_.measures.empty())
                skipped_.emplace(name, pair.error());
            else
                return Error::of("--measure {}: {}", name, pair.error().message());
        }
        return {};
    }

    [[nodiscard]] Unit unit() const final { return Unit::CyclesPerOperation; }
    [[nodiscard]] std::size_t configurations() const final { return steps_.size(); }
    [[nodiscard]] std::span<Skipped const> skipped() const final { return skipped_.span(); }
    [[nodiscard]] bool is_measured_as_a_whole() const override { return true; }

    Result<void> run(std::size_t configuration, std::span<Sample> samples, Progress& progress) final {
        samples[0] = MXK_TRY(run_step(steps_[configuration], progress));
        return {};
    }

    void print_label_heading(TextSink& out) const override { print_cost_label_heading(out); }
    void print_label(TextSink& out, Row const& row) const override {
        print_cost_label(out, name_of(step(row).measure), step(row).cores);
    }
    void print_title(TextSink& out, Row const& row) const override { out.write(name_of(step(row).measure)); }
    void write_settings(JsonWriter& json, Row const& row) const override {
        Measure const measure = step(row).measure;
        write_cost_settings(json, name_of(measure), step(row).cores, options_.settings_of(measure));
    }

  protected:
    struct Step {
        Measure measure;
        CorePair cores;
        std::size_t peer; // whose, by its place, among several
    };

    ~CostExperiment() = default;

    // One run. As Experiment::run().
    virtual Result<Sample> run_step(Step const& step, Progress& progress) = 0;

    // Of up to so many rows.
    Result<void> make_room(std::size_t rows) {
        NodeId const here = Worker::current().node();
        steps_ = MXK_TRY(NodeVector<Step>::create(rows, here));
        skipped_ = MXK_TRY(NodeVector<Skipped>::create(rows, here));
        return {};
    }
    [[nodiscard]] bool is_chosen(Measure measure) const {
        return options_.measures.empty() || options_.measures.has(measure);
    }
    [[nodiscard]] Options const& options() const { return options_; }
    [[nodiscard]] Step const& step(Row const& row) const { return steps_[row.configuration]; }

    NodeVector<Step> steps_;
    NodeVector<Skipped> skipped_;

  private:
    Options const& options_;
};

} // namespace mxk::bench
