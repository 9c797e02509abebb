// `bench figure`: the figures of the thesis by their numbers. All curves of a figure are measured on all numbers of
// cores, interleaved: a grid of curves and core sets, each curve a benchmark of `bench table` of its own.
#include <algorithm>

#include "base/format.hpp"
#include "base/json_line.hpp"
#include "bench/figures/figure.hpp"
#include "bench/frame/grid.hpp"
#include "bench/table/table_benchmark.hpp"
#include "bench/table/table_options.hpp"
#include "kernel/console/words.hpp"
#include "kernel/memory/node_vector.hpp"
#include "tasks/threads/semaphore.hpp"
#include "tasks/worker.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {
namespace {

struct FigureNumber {
    std::string_view text{};
};
Result<void> parse_value(std::string_view text, FigureNumber& number) {
    number = {text};
    return {};
}
void print_value(TextSink& out, FigureNumber const& number) {
    out.write(number.text);
}
void complete_value(console::Candidates& candidates, FigureNumber const&) {
    for (Figure const& figure : thesis_figures()) candidates.offer(figure.number);
}

struct FigureOptions : CoreSetOptions {
    constexpr FigureOptions()
        : CoreSetOptions{{.repeat = 5}, {}} {}
    FigureNumber figure;                       // its number; empty: a list of all
    std::optional<std::uint64_t> operations{}; // none: the thesis'
    std::uint64_t seed = 1;
};

Result<Figure const*> find_figure(std::string_view number) {
    for (Figure const& figure : thesis_figures())
        if (figure.number == number) return &figure;
    FixedText<96> numbers;
    for (Figure const& figure : thesis_figures()) format(numbers, " {}", figure.number);
    return Error::of("expected the number of a figure:{}, got '{}'", numbers.view(), number);
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

class FigureExperiment final : public GridExperiment, private FigureResults {
  public:
    using Options = FigureOptions;
    static constexpr std::string_view name = "figure";

    explicit FigureExperiment(Options const& options)
        : options_(options) {}
    // Errors: no such figure, cores that are not there, no memory.
    Result<void> set_up() override {
        figure_ = MXK_TRY(find_figure(options_.figure.text));
        NodeId const here = Worker::current().node();
        series_ = MXK_TRY(NodeVector<TableBenchmark>::create(figure_->series.size(), here));
        curves_ = MXK_TRY(NodeVector<Series const*>::create(figure_->series.size(), here));
        skipped_ = MXK_TRY(NodeVector<Skipped>::create(figure_->series.size(), here));
        for (Series const& series : figure_->series) {
            if (series.needs_syscall_semaphores && !Semaphore::supports(SemaphoreKind::Syscall)) {
                skipped_.emplace(series.name, Error("needs the bare machine, whose semaphores may be syscalls"));
                continue;
            }
            TableOptions const table = MXK_TRY(options_of(series, *figure_, options_));
            series_.emplace(MXK_TRY(TableBenchmark::create(table)));
            curves_.emplace(&series);
        }
        add(Axis::of("curve", 19, curves_.span()));
        MXK_TRY(add_cores(options_.cores.empty() ? thesis_sets() : options_.cores));
        core_counts_ = MXK_TRY(NodeVector<std::uint32_t>::create(core_sets().size(), here));
        for (std::size_t set = 0; set < core_sets().size(); ++set)
            core_counts_.emplace(static_cast<std::uint32_t>(core_sets().cores(set).size()));
        return {};
    }

    [[nodiscard]] Unit unit() const override { return Unit::OperationsPerSecond; }
    [[nodiscard]] bool may_be_wrong(Row const& row) const override { return series_of(row).may_be_wrong(inner(row)); }
    Result<void> run_at(Point const& point, std::span<Sample> samples, Progress& progress) override {
        if (point[0] != latest_) series_[latest_].release();
        latest_ = point[0];
        return series_[point[0]].run(point[1], samples, progress);
    }
    void keep(std::size_t configuration) override {
        Point const point = point_of(configuration);
        series_[point[0]].keep(point[1]);
    }

    void print_head(TextSink& out) const override {
        format(out, "figure {} of the thesis: {}\n", figure_->number, figure_->title);
        for (std::size_t i = 0; i < series_.size(); ++i) {
            format(out, "  {}: ", curves_[i]->name);
            series_[i].print_head(out);
        }
    }
    void print_label_heading(TextSink& out) const override {
        format(out, "{:<19} ", "curve");
        series_[0].print_label_heading(out);
    }
    void print_label(TextSink& out, Row const& row) const override {
        format(out, "{:<19} ", name_at(0, point_of(row)[0]));
        series_of(row).print_label(out, inner(row));
    }
    void print_verdict(TextSink& out, Row const& row) const override { series_of(row).print_verdict(out, inner(row)); }
    void print_details(TextSink& out, Row const& row) const override { series_of(row).print_details(out, inner(row)); }
    void write_subject(JsonWriter& json) const override {
        json.field("figure", figure_->number);
        json.field("title", figure_->title);
        if (figure_->is_per_core) json.field("shows", "throughput_per_core");
    }
    void write_settings(JsonWriter& json, Row const& row) const override {
        Series const& series = *curves_[point_of(row)[0]];
        json.field("series", series.name);
        json.field("options", series.options);
        series_of(row).write_settings(json, inner(row));
    }
    void write_details(JsonWriter& json, Row const& row) const override {
        series_of(row).write_details(json, inner(row));
    }

    [[nodiscard]] std::span<Skipped const> skipped() const override { return skipped_.span(); }
    [[nodiscard]] std::size_t conclusions() const override { return figure_->statements.size(); }
    [[nodiscard]] Conclusion conclusion(std::size_t at, std::span<Row const> rows) const override {
        Statement const& statement = figure_->statements[at];
        rows_ = rows;
        return Claim::conclude(statement.says, statement.bound(), statement.value(*this), true, "needs other cores");
    }
    void write_conclusion(JsonWriter& json, std::size_t at) const override {
        Statement const& statement = figure_->statements[at];
        json.field("operations", options_.operations.value_or(figure_->operations));
        json.field("of_speed", statement.as != Statement::As::Count);
        json.field("varies", statement.varies);
    }

  private:
    [[nodiscard]] TableBenchmark const& series_of(Row const& row) const { return series_[point_of(row)[0]]; }
    // As the curve's own benchmark counts.
    [[nodiscard]] Row inner(Row row) const {
        row.configuration = point_of(row)[1];
        return row;
    }

    // What was measured, for the statements; null: not measured.
    [[nodiscard]] Row const* row_of(std::string_view series, std::size_t cores) const {
        auto const curve = std::ranges::find(curves_, series, &Series::name);
        auto const found = std::ranges::find(core_counts(), cores);
        if (curve == curves_.end() || found == core_counts().end()) return nullptr;
        auto const set = static_cast<std::size_t>(found - core_counts().begin());
        Row const& row = rows_[static_cast<std::size_t>(curve - curves_.begin()) * core_counts().size() + set];
        return row.state == Row::State::Measured && row.value.n != 0 ? &row : nullptr;
    }
    [[nodiscard]] std::optional<double> throughput(std::string_view series, std::size_t cores) const override {
        Row const* const row = row_of(series, cores);
        return row != nullptr ? std::optional(row->value.median) : std::nullopt;
    }
    [[nodiscard]] std::optional<std::uint64_t> lost(std::string_view series, std::size_t cores) const override {
        Row const* const row = row_of(series, cores);
        return row != nullptr ? std::optional(series_of(*row).found_of(inner(*row)).lost) : std::nullopt;
    }
    [[nodiscard]] std::span<std::uint32_t const> core_counts() const override { return core_counts_.span(); }

    Options options_;
    Figure const* figure_ = nullptr;
    NodeVector<Series const*> curves_;  // that this build has
    NodeVector<TableBenchmark> series_; // of those
    NodeVector<Skipped> skipped_;
    NodeVector<std::uint32_t> core_counts_; // by set
    mutable std::span<Row const> rows_;     // that statements are about
    std::size_t latest_ = 0;                // of series_, which holds memory
};

constexpr auto figure_schema = console::schema<FigureOptions>(
    console::positional<&FigureOptions::figure>("figure", "its number (none given: a list of all)"),
    core_set_option::cores,
    console::option<&FigureOptions::operations>("ops", "operations per run (none given: the thesis')",
                                                console::between(1, Workload::max_operations)),
    console::option<&FigureOptions::seed>("seed", "of the keys"), run_option::all);

void list_figures(TextSink& out) {
    for (Figure const& figure : thesis_figures()) {
        format(out, "{}  {}, {} operations\n", figure.number, figure.title, figure.operations);
        for (Series const& series : figure.series)
            format(out, "     {:<19} bench table{}{}\n", series.name, series.options.empty() ? "" : " ",
                   series.options);
        for (Statement const& statement : figure.statements) {
            FixedText<64> expected;
            statement.bound().print(expected);
            format(out, "     the thesis: {} ({})\n", statement.says, expected.view());
        }
    }
    out.write("4.7 to 4.10 compare two builds, or peers: 'tools/mxk figure 4.9'\n");
}

// The same for tools.
void list_figures_json(TextSink& out) {
    JsonLine line(out);
    JsonWriter& json = line.json();
    json.field("benchmark", "figure-list");
    json.begin_array("figures");
    for (Figure const& figure : thesis_figures()) {
        json.begin_object();
        json.field("number", figure.number);
        json.field("title", figure.title);
        json.field("operations", figure.operations);
        json.begin_array("series");
        for (Series const& series : figure.series) {
            json.begin_object();
            json.field("name", series.name);
            json.field("options", series.options);
            json.end_object();
        }
        json.end_array();
        json.end_object();
    }
    json.end_array();
    line.end();
}

console::Outcome run_figure(console::Invocation& invocation, FigureOptions const& options) {
    if (!options.figure.text.empty()) return run_benchmark<FigureExperiment>(invocation, options);
    options.json ? list_figures_json(invocation.out) : list_figures(invocation.out);
    return console::Outcome::Ok;
}

constexpr auto figure_benchmark = console::command<&run_figure, figure_schema>(
    {.name = FigureExperiment::name,
     .summary = "a figure of the thesis, and whether what it says holds here",
     .parent = "bench",
     .notes = "On 1, 2, 4, 8, 12 and 16 cores, as the thesis, as far as there are so many.\n"
              "Example: bench figure 4.3 --ops 1M\n"});
MXK_REGISTER(mxk_commands, console::Command, figure_benchmark);

} // namespace
} // namespace mxk::bench
