#include "bench/figures/figure_experiment.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "bench/table/table_options.hpp"
#include "kernel/console/words.hpp"
#include "tasks/worker.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {
namespace {

Error no_figure(std::string_view number) {
    FixedText<96> numbers;
    for (Figure const& figure : thesis_figures()) format(numbers, " {}", figure.number);
    return Error::of("expected the number of a figure:{}, got '{}'", numbers.view(), number);
}

Result<Figure const*> find_figure(std::string_view number) {
    for (Figure const& figure : thesis_figures())
        if (figure.number == number) return &figure;
    return no_figure(number);
}

// Those of the thesis' machine that this one has, too.
topology::CoreSets thesis_sets() {
    topology::CoreSetRequest request;
    for (std::uint32_t const cores : thesis_cores)
        if (cores <= workers::count()) request.numbers.add(cores);
    topology::CoreSets sets;
    sets.add(request);
    return sets;
}

// What is measured for a curve.
Result<TableOptions> options_of(Series const& series, Figure const& figure, FigureOptions const& options) {
    console::Words words;
    MXK_TRY(words.split(series.options));
    TableOptions table;
    MXK_TRY(console::parse(words.all(), table_schema, table));
    table.operations = options.operations.value_or(figure.operations);
    table.cores = options.cores.empty() ? thesis_sets() : options.cores;
    table.seed = options.seed;
    return table;
}

} // namespace

Result<FigureExperiment> FigureExperiment::create(FigureOptions const& options) {
    Figure const& figure = *MXK_TRY(find_figure(options.figure));
    NodeId const here = Worker::current().node();
    FigureExperiment experiment(figure);
    experiment.series_ = MXK_TRY(NodeVector<TableBenchmark>::create(figure.series.size(), here));
    for (Series const& series : figure.series) {
        TableOptions const table = MXK_TRY(options_of(series, figure, options));
        experiment.series_.emplace(MXK_TRY(TableBenchmark::create(table)));
    }
    TableBenchmark const& first = experiment.series_[0];
    experiment.core_counts_ = MXK_TRY(NodeVector<std::uint32_t>::create(first.configurations(), here));
    for (std::size_t i = 0; i < first.configurations(); ++i)
        experiment.core_counts_.emplace(static_cast<std::uint32_t>(first.cores_of({.configuration = i})));
    return experiment;
}

Result<void> FigureExperiment::run(std::size_t configuration, std::span<Sample> samples, Progress& progress) {
    std::size_t const at = series_at(configuration);
    if (at != latest_) series_[latest_].release();
    latest_ = at;
    return series_[at].run(configuration % core_counts_.size(), samples, progress);
}

void FigureExperiment::print_head(TextSink& out) const {
    format(out, "figure {} of the thesis: {}\n", figure_->number, figure_->title);
    for (std::size_t i = 0; i < series_.size(); ++i) {
        format(out, "  {}: ", figure_->series[i].name);
        series_[i].print_head(out);
    }
}

void FigureExperiment::print_label_heading(TextSink& out) const {
    format(out, "{:<19} ", "curve");
    series_[0].print_label_heading(out);
}

void FigureExperiment::print_label(TextSink& out, Row const& row) const {
    format(out, "{:<19} ", figure_->series[series_at(row.configuration)].name);
    series_of(row).print_label(out, inner(row));
}

void FigureExperiment::print_title(TextSink& out, Row const& row) const {
    format(out, "{}, ", figure_->series[series_at(row.configuration)].name);
    series_of(row).print_title(out, inner(row));
}

void FigureExperiment::write_subject(JsonWriter& json) const {
    json.field("figure", figure_->number);
    json.field("title", figure_->title);
    if (figure_->is_per_core) json.field("shows", "throughput_per_core");
}

void FigureExperiment::write_settings(JsonWriter& json, Row const& row) const {
    Series const& series = figure_->series[series_at(row.configuration)];
    json.field("series", series.name);
    json.field("options", series.options);
    series_of(row).write_settings(json, inner(row));
}

// What was measured, for the statements.
class FigureExperiment::Results final : public FigureResults {
  public:
    Results(FigureExperiment const& experiment, std::span<Row const> rows)
        : experiment_(experiment)
        , rows_(rows) {}

    [[nodiscard]] std::optional<double> throughput(std::size_t series, std::size_t cores) const override {
        Row const* const row = row_of(series, cores);
        if (row == nullptr) return std::nullopt;
        return row->value.median;
    }
    [[nodiscard]] std::optional<std::uint64_t> lost(std::size_t series, std::size_t cores) const override {
        Row const* const row = row_of(series, cores);
        if (row == nullptr) return std::nullopt;
        return experiment_.series_of(*row).found_of(experiment_.inner(*row)).lost;
    }
    [[nodiscard]] std::span<std::uint32_t const> core_counts() const override {
        return experiment_.core_counts_.span();
    }

  private:
    // Null: not measured.
    [[nodiscard]] Row const* row_of(std::size_t series, std::size_t cores) const {
        auto const counts = core_counts();
        auto const found = std::find(counts.begin(), counts.end(), cores);
        if (found == counts.end()) return nullptr;
        Row const& row = rows_[series * counts.size() + static_cast<std::size_t>(found - counts.begin())];
        return row.state == Row::State::Measured && row.value.n != 0 ? &row : nullptr;
    }

    FigureExperiment const& experiment_;
    std::span<Row const> rows_;
};

Conclusion FigureExperiment::conclusion(std::size_t at, std::span<Row const> rows) const {
    Statement const& statement = figure_->statements[at];
    Conclusion found{.statement = statement.says};
    print_expected(found.expected, statement);
    if (auto const value = statement.value(Results(*this, rows))) {
        print_value(found.measured, statement, *value);
        found.holds = holds(statement, *value);
    } else {
        found.measured.append("needs other cores");
    }
    return found;
}

} // namespace mxk::bench
