// `bench figure`: the figures of the thesis by their numbers.
#include "base/format.hpp"
#include "base/json_line.hpp"
#include "bench/figures/figure_experiment.hpp"
#include "bench/frame/benchmark.hpp"

namespace mxk::bench {
namespace {

constexpr auto figure_schema = console::schema<FigureOptions>(
    console::positional<&FigureOptions::figure>("figure", "its number (none given: a list of all)"),
    core_set_option::cores,
    console::option<&FigureOptions::operations>("ops", "operations per run (none given: the thesis')",
                                                console::between(1, Workload::max_operations)),
    run_option::repeat, run_option::warm_up, console::option<&FigureOptions::seed>("seed", "of the keys"),
    run_option::json);

void list_figures(TextSink& out) {
    for (Figure const& figure : thesis_figures()) {
        format(out, "{}  {}, {} operations\n", figure.number, figure.title, figure.operations);
        for (Series const& series : figure.series)
            format(out, "     {:<19} bench table{}{}\n", series.name, series.options.empty() ? "" : " ",
                   series.options);
        for (Statement const& statement : figure.statements) {
            FixedText<64> expected;
            print_expected(expected, statement);
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
    if (!options.figure.empty()) return run_benchmark<FigureExperiment>(invocation, options);
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
