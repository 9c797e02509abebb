// A benchmark of operations that the cores of a set do together: its configurations are core sets, it has one phase,
// and it counts operations per second. How to write one: docs/bench-frame.md.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "bench/frame/core_choice.hpp"
#include "bench/frame/experiment.hpp"
#include "bench/frame/steps.hpp"
#include "kernel/memory/node_vector.hpp"

namespace mxk::bench {

// Its options: derived from CoreSetOptions.
template <typename OptionsType> class CoreSetExperiment : public Experiment {
  public:
    using Options = OptionsType;

    [[nodiscard]] Unit unit() const final { return Unit::OperationsPerSecond; }
    [[nodiscard]] std::size_t configurations() const final { return core_sets_.size(); }
    [[nodiscard]] bool has_speed_up() const final { return true; }

    void print_label_heading(TextSink& out) const final { core_sets_.print_heading(out); }
    void print_label(TextSink& out, Row const& row) const final { core_sets_.print(out, row.configuration); }
    void print_title(TextSink& out, Row const& row) const final {
        format(out, "{} cores", core_sets_.label(row.configuration));
    }
    void write_settings(JsonWriter& json, Row const& row) const override { core_sets_.write(json, row.configuration); }

  protected:
    CoreSetExperiment(Options const& options, CoreSetList core_sets)
        : options_(options)
        , core_sets_(std::move(core_sets)) {}
    CoreSetExperiment(CoreSetExperiment&&) = default;
    CoreSetExperiment& operator=(CoreSetExperiment&&) = default;
    ~CoreSetExperiment() = default;

    // What derived classes' create() makes the core sets of.
    static Result<CoreSetList> sets_of(Options const& options) { return CoreSetList::create(options.cores); }

    [[nodiscard]] Options const& options() const { return options_; }
    // Of the configuration; the core at place i is its i-th.
    [[nodiscard]] std::span<CoreId const> cores(std::size_t configuration) const {
        return core_sets_.cores(configuration);
    }

  private:
    Options options_;
    CoreSetList core_sets_;
};

} // namespace mxk::bench
