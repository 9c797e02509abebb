// `bench figure`: the figures of the thesis, and the experiments of Bobox', by their numbers. All curves of a figure
// are measured on all numbers of cores, interleaved, each curve a benchmark of `bench table` of its own.
#include <algorithm>

#include "base/format.hpp"
#include "base/json_line.hpp"
#include "bench/figures/bobox.hpp"
#include "bench/figures/figure.hpp"
#include "bench/figures/parts_experiment.hpp"
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
    for (BoboxExperiment const& experiment : bobox_experiments()) candidates.offer(experiment.number);
}

struct FigureOptions : BoboxOptions {
    constexpr FigureOptions()
        : BoboxOptions{{{.repeat = 5}, {}}} {}
    FigureNumber figure;                       // its number; empty: a list of all
    std::optional<std::uint64_t> operations{}; // none: the thesis'
    std::uint64_t seed = 1;
};

std::uint64_t operations_of(Figure const& figure, FigureOptions const& options) {
    return std::max<std::uint64_t>(options.operations.value_or(figure.operations) / options.part, 1);
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

// What is measured for a curve. Apart, as a table is made below it on the same stack.
[[gnu::noinline]] Result<TableOptions> options_of(Series const& series, Figure const& figure,
                                                  FigureOptions const& options) {
    console::Words words;
    MXK_TRY(words.split(series.options));
    TableOptions table;
    MXK_TRY(console::parse(words.all(), table_schema, table));
    table.operations = operations_of(figure, options);
    table.cores = options.cores.empty() ? thesis_sets() : options.cores;
    table.seed = options.seed;
    return table;
}

class FigureExperiment final : public PartsExperiment, private FigureResults {
  public:
    using Options = FigureOptions;
    static constexpr std::string_view name = "figure";

    FigureExperiment(Figure const& figure, Options const& options)
        : options_(options)
        , figure_(figure) {}
    // Errors: cores that are not there, no memory.
    Result<void> set_up() {
        NodeId const here = Worker::current().node();
        MXK_TRY(expect_parts(figure_.series.size()));
        series_ = MXK_TRY(NodeVector<TableBenchmark>::create(figure_.series.size(), here));
        for (Series const& series : figure_.series) {
            if (series.needs_syscall_semaphores && !Semaphore::supports(SemaphoreKind::Syscall)) {
                skip(series.name, Error("needs the bare machine, whose semaphores may be syscalls"));
                continue;
            }
            MXK_TRY(add_series(series));
        }
        return count_cores();
    }

    void print_head(TextSink& out) const override {
        format(out, "figure {} of the thesis: {}\n", figure_.number, figure_.title);
        PartsExperiment::print_head(out);
    }
    void write_subject(JsonWriter& json) const override {
        json.field("figure", figure_.number);
        json.field("title", figure_.title);
        if (figure_.is_per_core) json.field("shows", "throughput_per_core");
    }

    [[nodiscard]] std::size_t conclusions() const override { return figure_.statements.size(); }
    [[nodiscard]] Conclusion conclusion(std::size_t at, std::span<Row const> rows) const override {
        Statement const& statement = figure_.statements[at];
        rows_ = rows;
        return Claim::conclude(statement.says, statement.bound(), statement.value(*this), true, "needs other cores");
    }
    void write_conclusion(JsonWriter& json, std::size_t at) const override {
        Statement const& statement = figure_.statements[at];
        json.field("operations", operations_of(figure_, options_));
        json.field("of_speed", statement.as != Statement::As::Count);
        json.field("varies", statement.varies);
    }

  private:
    [[gnu::noinline]] Result<void> count_cores() {
        auto const sets = MXK_TRY(CoreSetList::create(options_.cores.empty() ? thesis_sets() : options_.cores));
        core_counts_ = MXK_TRY(NodeVector<std::uint32_t>::create(sets.size(), Worker::current().node()));
        for (std::size_t set = 0; set < sets.size(); ++set)
            core_counts_.emplace(static_cast<std::uint32_t>(sets.cores(set).size()));
        return {};
    }
    [[gnu::noinline]] Result<void> add_series(Series const& series) {
        TableOptions const table = MXK_TRY(options_of(series, figure_, options_));
        add(series.name, series.options, series_.emplace(MXK_TRY(TableBenchmark::create(table))));
        return {};
    }
    // A curve's table and instructions are in the next one's way.
    void leave(Part const& part) override { series_[static_cast<std::size_t>(&part - parts().data())].release(); }

    // What was measured, for the statements; null: not measured.
    [[nodiscard]] Row const* row_of(std::string_view series, std::size_t cores) const {
        auto const part = std::ranges::find(parts(), series, &Part::name);
        auto const found = std::ranges::find(core_counts(), cores);
        if (part == parts().end() || found == core_counts().end()) return nullptr;
        Row const& row = rows_[part->first + static_cast<std::size_t>(found - core_counts().begin())];
        return row.state == Row::State::Measured && row.value.n != 0 ? &row : nullptr;
    }
    [[nodiscard]] std::optional<double> throughput(std::string_view series, std::size_t cores) const override {
        Row const* const row = row_of(series, cores);
        return row != nullptr ? std::optional(row->value.median) : std::nullopt;
    }
    [[nodiscard]] std::optional<std::uint64_t> lost(std::string_view series, std::size_t cores) const override {
        Row const* const row = row_of(series, cores);
        if (row == nullptr) return std::nullopt;
        Part const& part = part_of(row->configuration);
        return series_[static_cast<std::size_t>(&part - parts().data())].found_of(inner(*row)).lost;
    }
    [[nodiscard]] std::span<std::uint32_t const> core_counts() const override { return core_counts_.span(); }

    Options options_;
    Figure const& figure_;
    NodeVector<TableBenchmark> series_;     // of the parts, in their order
    NodeVector<std::uint32_t> core_counts_; // by set
    mutable std::span<Row const> rows_;     // that statements are about
};

constexpr auto figure_schema = console::schema<FigureOptions>(
    console::positional<&FigureOptions::figure>("figure", "its number (none given: a list of all)"),
    core_set_option::cores,
    console::option<&FigureOptions::operations>("ops", "operations per run (none given: the thesis')",
                                                console::between(1, Workload::max_operations)),
    console::option<&FigureOptions::part>("part", "so many times less is done in a run: 100 for a look, not for times",
                                          console::between(1, 1'000'000'000)),
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
    for (BoboxExperiment const& experiment : bobox_experiments()) {
        format(out, "{}  {}\n", experiment.number, experiment.title);
        for (BoboxPart const& part : experiment.parts) {
            out.write("     ");
            if (!part.name.empty()) format(out, "{:<19} ", part.name);
            print_bobox_command(out, experiment, part, {});
            out.write("\n");
        }
        for (BoboxStatement const& statement : experiment.statements) {
            FixedText<64> expected;
            statement.bound.print(expected);
            format(out, "     the thesis: {} ({})\n", statement.says, expected.view());
        }
        if (!experiment.not_built.empty()) format(out, "     {}\n", experiment.not_built);
    }
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
    json.begin_array("experiments");
    for (BoboxExperiment const& experiment : bobox_experiments()) json.element(experiment.number);
    json.end_array();
    line.end();
}

// Apart: an experiment's commands run one inside the other, and need the rest of the stack.
[[gnu::noinline]] console::Outcome measure_figure(console::Invocation& invocation, Figure const& figure,
                                                  FigureOptions const& options) {
    FigureExperiment experiment(figure, options);
    if (auto const is_set_up = experiment.set_up(); !is_set_up) return invocation.fail(is_set_up.error());
    return measure(invocation, FigureExperiment::name, experiment, options);
}

console::Outcome run_figure(console::Invocation& invocation, FigureOptions const& options) {
    std::string_view const number = options.figure.text;
    if (number.empty()) {
        options.json ? list_figures_json(invocation.out) : list_figures(invocation.out);
        return console::Outcome::Ok;
    }
    prefetching::settle(Worker::current());
    FixedText<160> numbers;
    for (Figure const& figure : thesis_figures()) {
        format(numbers, " {}", figure.number);
        if (figure.number == number) return measure_figure(invocation, figure, options);
    }
    for (BoboxExperiment const& experiment : bobox_experiments()) {
        format(numbers, " {}", experiment.number);
        if (experiment.number != number) continue;
        if (options.operations) return invocation.fail(Error("--ops: experiments have sizes of their own: --part"));
        return run_bobox(invocation, experiment, options);
    }
    return invocation.fail(Error::of("expected the number of a figure:{}, got '{}'", numbers.view(), number));
}

constexpr auto figure_benchmark = console::command<&run_figure, figure_schema>(
    {.name = FigureExperiment::name,
     .summary = "a figure of the thesis, and whether what it says holds here",
     .parent = "bench",
     .notes = "Figures: on 1, 2, 4, 8, 12 and 16 cores, as the thesis, as far as there are so many. E1 to E24, of the "
              "thesis on Bobox: on all.\n"
              "Example: bench figure 4.3 --ops 1M\n"
              "Example: bench figure E9\n"});
MXK_REGISTER(mxk_commands, console::Command, figure_benchmark);

} // namespace
} // namespace mxk::bench
