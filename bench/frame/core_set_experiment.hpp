// A benchmark of operations that the cores of a set do together: its configurations are core sets, it has one phase,
// and it counts operations per second. How to write one: docs/bench-frame.md.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "bench/frame/core_set_list.hpp"
#include "bench/frame/experiment.hpp"
#include "bench/frame/start_barrier.hpp"
#include "bench/frame/steps.hpp"
#include "bench/frame/time_span.hpp"
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

    // Runs function(place) once on each of the cores, which start together, and says how long that took: from the first
    // core's start to the last one's end. A function keeps its core from everything else, so it takes up to some
    // seconds; Ctrl-C counts at its end. Errors: no memory, interrupted. The console's task.
    template <typename Function>
    static Result<TimeSpan> time_on(std::span<CoreId const> cores, Progress const& progress, Function function) {
        struct Times {
            Cycles start{};
            Cycles end{};
        };
        auto times = MXK_TRY(NodeVector<Times>::create(cores.size(), Worker::current().node()));
        for (std::size_t place = 0; place < cores.size(); ++place) times.emplace();
        StartBarrier barrier(cores.size());
        MXK_TRY(run_steps(cores, progress, [&](Worker&, std::size_t place) {
            barrier.arrive_and_wait();
            Cycles const start = clock::timestamp();
            function(place);
            times[place] = {start, clock::timestamp()};
            return Step::Done;
        }));
        TimeSpan span;
        for (Times const& of_core : times) span.cover(of_core.start, of_core.end);
        return span;
    }

  private:
    Options options_;
    CoreSetList core_sets_;
};

} // namespace mxk::bench
