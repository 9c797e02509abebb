// The frame of a benchmark of costs: measures what is planned, row after row; then the first one once more, and how
// much that differs is the drift that all rows may have; prints rows, and JSON lines at the end.
#pragma once

#include <algorithm>
#include <string_view>

#include "base/json.hpp"
#include "bench/frame/cost_plan.hpp"
#include "bench/frame/cost_repeated.hpp"
#include "bench/frame/machine_record.hpp"
#include "bench/frame/progress.hpp"
#include "kernel/console/command.hpp"

namespace mxk::bench {

// Options: has `repeat`, `json` and settings_of(Measure). Run: gives a Result<CostSample> for (Step const&, Progress&).
template <typename Measure, typename Options, typename Run> class CostBenchmark {
  public:
    using Plan = CostPlan<Measure>;

    // `name`: as in `bench NAME`. `wrong`: what has happened where a row is marked NO.
    CostBenchmark(std::string_view name, std::string_view wrong, Plan const& plan, Options const& options, Run run)
        : name_(name)
        , wrong_(wrong)
        , plan_(plan)
        , options_(options)
        , run_(run) {}

    // Whoever makes `progress` and then prints something has told the person that it can be ended.
    console::Outcome measure(console::Invocation& invocation, Progress& progress) {
        auto rows = NodeVector<CostRow>::create(plan_.steps.size(), Worker::current().node());
        if (!rows) return invocation.fail(rows.error());
        rows_ = std::move(rows).value();
        print_cost_head(invocation.out);
        auto const measured = measure_all(invocation.out, progress);
        progress.clear();
        for (auto const& skipped : plan_.skipped)
            format(invocation.out, "skipped: {}: {}\n", name_of(skipped.measure), skipped.reason.message());
        if (options_.json)
            for (CostRow const& row : rows_) print_json(invocation.out, row);
        if (!measured) return invocation.fail(measured.error());
        bool const verified = std::all_of(rows_.begin(), rows_.end(), [](CostRow const& row) { return row.verified; });
        if (!verified) return invocation.fail(Error::of("verification failed: {} (rows marked NO)", wrong_));
        return console::Outcome::Ok;
    }

  private:
    // What was measured before an error is still reported.
    Result<void> measure_all(TextSink& out, Progress& progress) {
        for (auto const& step : plan_.steps) {
            CostRow const& row = rows_.emplace(MXK_TRY(measure_row(step, progress)));
            progress.clear();
            print_cost_row(out, row.measure, row);
        }
        if (rows_.size() < 2) return {};
        CostRow const again = MXK_TRY(measure_row(plan_.steps[0], progress));
        progress.clear();
        drift_ = again.cycles.median / rows_[0].cycles.median;
        format(out, "drift: {} again at the end: {:.1} cycles, {:.3} of the first row\n", again.measure,
               again.cycles.median, drift_);
        if (!again.verified) return Error("the repeated first measure failed its verification");
        return {};
    }

    Result<CostRow> measure_row(typename Plan::Step const& step, Progress& progress) {
        CostRow row{
            .measure = name_of(step.measure), .cores = step.cores, .settings = options_.settings_of(step.measure)};
        MXK_TRY(repeat_runs(options_.repeat, row, [&] { return run_(step, progress); }));
        return row;
    }

    void print_json(TextSink& out, CostRow const& row) const {
        JsonWriter json(out);
        json.begin_object();
        json.field("benchmark", name_);
        write_cost_row(json, row);
        if (drift_ > 0) json.field("drift", drift_);
        json.begin_array("skipped");
        for (auto const& skipped : plan_.skipped) {
            FixedText<128> text;
            format(text, "{}: {}", name_of(skipped.measure), skipped.reason.message());
            json.element(text.view());
        }
        json.end_array();
        write_machine(json);
        json.end_object();
        out.write("\n");
    }

    std::string_view name_;
    std::string_view wrong_;
    Plan const& plan_;
    Options const& options_;
    Run run_;
    NodeVector<CostRow> rows_;
    double drift_ = 0; // not measured
};

} // namespace mxk::bench
