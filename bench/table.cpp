// `bench table`: operations per second of a partitioned hash table, worked off by two-phase tasks, for several core
// counts (thesis section 4, figures 4.1 to 4.6 as far as they use tasks and chaining). Time is rdtsc from the first
// core's start behind a barrier to the last core's end. The first configuration is measured again at the end: how much
// it differs is the drift that all rows may have. Every run is verified; a wrong result fails the benchmark.
#include <algorithm>

#include "base/json.hpp"
#include "bench/benchmark.hpp"
#include "bench/machine_record.hpp"
#include "bench/progress.hpp"
#include "bench/statistics.hpp"
#include "bench/table_experiment.hpp"
#include "kernel/clock.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {
namespace {

using console::Invocation;

struct Row {
    std::uint32_t cores = 0;
    std::size_t buckets = 0;
    Summary throughput; // operations per second
    bool verified = false;
};

void print_head(TextSink& out, TableOptions const& options) {
    FixedText<32> mix;
    print_value(mix, options.mix);
    FixedText<32> operations;
    console::print_count(operations, options.operations);
    format(out, "table: chained, tasks, {} operations ({}), {} buckets each, {} tasks per core, seed {}\n",
           operations.view(), mix.view(), options.buckets, options.tasks_per_core, options.seed);
    format(out, "{:>6} {:>5} {:>10} {:>10} {:>10} {:>10} {:>21} {:>9}  {}\n", "cores", "runs", "seconds", "M ops/s",
           "min", "max", "95 % interval", "speed-up", "verified");
}

void print_row(TextSink& out, TableOptions const& options, Row const& row, Row const& first) {
    Summary const& t = row.throughput;
    FixedText<32> interval("-");
    if (t.has_confidence) {
        interval.clear();
        format(interval, "{:.3} - {:.3}", t.confidence_low / 1e6, t.confidence_high / 1e6);
    }
    format(out, "{:6} {:5} {:10.3} {:10.3} {:10.3} {:10.3} {:>21} {:9.2}  {}\n", row.cores, t.n,
           static_cast<double>(options.operations) / t.median, t.median / 1e6, t.minimum / 1e6, t.maximum / 1e6,
           interval.view(), t.median / first.throughput.median, row.verified ? "yes" : "NO");
}

void print_json(TextSink& out, TableOptions const& options, Row const& row, double drift) {
    FixedText<32> mix;
    print_value(mix, options.mix);
    JsonWriter json(out);
    json.begin_object();
    json.field("benchmark", "table");
    json.field("layout", "chained");
    json.field("model", "tasks");
    json.field("mix", mix.view());
    json.field("cores", row.cores);
    json.field("operations", options.operations);
    json.field("tasks_per_core", options.tasks_per_core);
    json.field("buckets", row.buckets);
    json.field("seed", options.seed);
    json.field("seconds", static_cast<double>(options.operations) / row.throughput.median);
    json.begin_object("throughput");
    json.field("n", row.throughput.n);
    json.field("median", row.throughput.median);
    json.field("min", row.throughput.minimum);
    json.field("max", row.throughput.maximum);
    json.field("mean", row.throughput.mean);
    if (row.throughput.has_confidence) {
        json.field("ci95_low", row.throughput.confidence_low);
        json.field("ci95_high", row.throughput.confidence_high);
    }
    json.end_object();
    json.field("verified", row.verified);
    if (drift > 0) json.field("drift", drift);
    write_machine(json);
    json.end_object();
    out.write("\n");
}

void print_wrong(TextSink& out, TableExperiment::Outcome const& outcome) {
    format(
        out,
        "error: verification failed: {} operations gave a wrong result, {} keys are missing or there wrongly, {} keys "
        "are in the table and should be {}\n",
        outcome.wrong, outcome.strayed, outcome.in_table, outcome.expected_in_table);
}

// `repeat` runs of one configuration.
Result<Row> measure(Invocation& invocation, TableOptions const& options, std::uint32_t cores, Progress& progress) {
    auto experiment = MXK_TRY(TableExperiment::create(options, cores));
    auto throughputs = MXK_TRY(NodeArray<double>::create(options.repeat, Worker::current().node()));
    Row row{cores, experiment.bucket_count(), {}, true};
    for (std::uint32_t i = 0; i < options.repeat; ++i) {
        TableExperiment::Outcome const outcome = MXK_TRY(experiment.run(progress));
        double const seconds = static_cast<double>(raw(outcome.span)) / static_cast<double>(clock::frequency());
        throughputs[i] = static_cast<double>(options.operations) / seconds;
        if (outcome.verified()) continue;
        row.verified = false;
        progress.clear();
        print_wrong(invocation.out, outcome);
    }
    row.throughput = summarise(throughputs.span());
    return row;
}

// Powers of two, and all of them.
console::CountList default_cores() {
    console::CountList result;
    auto const all = static_cast<std::uint32_t>(workers::count());
    for (std::uint32_t cores = 1; cores < all; cores *= 2) result.add(cores);
    result.add(all);
    return result;
}

// All rows, and the first one again if there are several. What was measured before an error is still reported.
Result<void> measure_all(Invocation& invocation, TableOptions const& options, NodeVector<Row>& rows, double& drift) {
    Progress progress(invocation.out);
    for (std::uint32_t const cores : options.cores.values()) {
        Row const row = MXK_TRY(measure(invocation, options, cores, progress));
        rows.emplace(row);
        progress.clear();
        print_row(invocation.out, options, row, rows[0]);
    }
    if (rows.size() < 2) return {};
    Row const again = MXK_TRY(measure(invocation, options, rows[0].cores, progress));
    progress.clear();
    drift = again.throughput.median / rows[0].throughput.median;
    format(invocation.out, "drift: {} cores again at the end: {:.3} M ops/s, {:.3} of the first row\n", rows[0].cores,
           again.throughput.median / 1e6, drift);
    if (!again.verified) return Error("the repeated first configuration failed its verification");
    return {};
}

console::Outcome run_table(Invocation& invocation) {
    TableOptions options;
    if (auto const parsed = console::parse(invocation.arguments, table_schema, options); !parsed)
        return invocation.fail(parsed.error());
    if (options.cores.empty()) options.cores = default_cores();
    for (std::uint32_t const cores : options.cores.values()) {
        if (cores > workers::count())
            return invocation.fail(
                Error::of("--cores: expected at most {}, the cores of this machine, got {}", workers::count(), cores));
    }
    auto rows = NodeVector<Row>::create(options.cores.values().size(), Worker::current().node());
    if (!rows) return invocation.fail(rows.error());
    print_head(invocation.out, options);
    double drift = 0;
    auto const measured = measure_all(invocation, options, rows.value(), drift);
    if (options.json)
        for (Row const& row : rows.value()) print_json(invocation.out, options, row, drift);
    if (!measured) return invocation.fail(measured.error());
    bool const verified =
        std::all_of(rows.value().begin(), rows.value().end(), [](Row const& row) { return row.verified; });
    return verified ? console::Outcome::Ok : console::Outcome::Failed;
}

constexpr Benchmark table_benchmark{
    .name = "table",
    .summary = "operations per second of a partitioned hash table, worked off by tasks",
    .run = &run_table,
    .help =
        [](TextSink& out) {
            console::print_help(out, table_schema, TableOptions{});
            out.write("Example: bench table --cores 1,2,4 --ops 24M --mix mixed:50/40/10 --repeat 5 --json\n");
        },
    .complete = [](std::span<std::string_view const> before,
                   console::Candidates& candidates) { console::complete_options(before, table_schema, candidates); },
};
MXK_REGISTER(mxk_benchmarks, Benchmark, table_benchmark);

} // namespace
} // namespace mxk::bench
