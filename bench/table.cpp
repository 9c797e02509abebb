// `bench table`: operations per second of a partitioned hash table, worked off by one of the engines (engine.hpp), for
// several core counts (thesis section 4, figures 4.1 to 4.6 as far as they use tasks and chaining). Time is rdtsc from
// the first core's start behind a barrier to the last core's end. The first configuration is measured again at the end:
// how much it differs is the drift that all rows may have. Every run is verified; a wrong result fails the benchmark.
#include <algorithm>
#include <optional>
#include <string_view>

#include "base/json.hpp"
#include "base/log.hpp"
#include "bench/benchmark.hpp"
#include "bench/core_counts.hpp"
#include "bench/engine.hpp"
#include "bench/key_file.hpp"
#include "bench/machine_record.hpp"
#include "bench/progress.hpp"
#include "bench/steps.hpp"
#include "bench/table_experiment.hpp"
#include "bench/throughput.hpp"
#include "tasks/parallel.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {
namespace {

using console::Invocation;

// One phase of one configuration.
struct Row {
    std::uint32_t cores = 0;
    Mix mix;
    std::size_t buckets = 0; // or slots
    Summary throughput{};    // operations per second
    bool verified = false;
    TableExperiment::Outcome last{}; // what the last run came to
    double drift = 0; // the same phase of the first configuration at the end, relative to the beginning; 0: unknown
};

FixedText<32> name_of(Mix const& mix) {
    FixedText<32> name;
    print_value(name, mix);
    return name;
}

// Any option's value as it would be typed; nothing where it was left out.
template <std::size_t capacity = 64, typename T> FixedText<capacity> as_typed(T const& value) {
    FixedText<capacity> text;
    console::OptionValue<T>::print(text, value);
    return text;
}

void print_head(TextSink& out, TableOptions const& options) {
    format(out,
           "table: {}, {}, {}, {} walks, {}{} hash, {} queue, {} operations ({}, {}), {} keys, {} tasks per core, seed "
           "{}\n",
           as_typed(options.layout).view(), as_typed(options.submit).view(), as_typed(options.notation).view(),
           as_typed(options.walk).view(), options.probe == Probe::Travel ? "travelling probes, " : "",
           as_typed(options.hash).view(), as_typed(options.queue).view(), as_typed(options.operations).view(),
           as_typed(options.mix).view(), as_typed(options.distribution).view(), as_typed<256>(options.keys).view(),
           options.tasks_per_core, options.seed);
    format(out, "{:>6} {:<6} ", "cores", "mix");
    print_throughput_head(out);
    format(out, " {:>9}  {}\n", "speed-up", "verified");
}

void print_row(TextSink& out, TableOptions const& options, Row const& row, Row const& first) {
    FixedText<32> const name = name_of(row.mix);
    format(out, "{:6} {:<6} ", row.cores, name.view().substr(0, name.view().find(':'))); // the head has the shares
    print_throughput(out, options.operations, row.throughput);
    format(out, " {:9.2}  {}\n", row.throughput.median / first.throughput.median, row.verified ? "yes" : "NO");
}

// What --latency, --task-times and --owners ask for, of the last run.
void print_details(TextSink& out, TableOptions const& options, TableExperiment::Outcome const& outcome) {
    if (options.latency) print_durations(out, "operations", outcome.latency);
    if (options.task_times) {
        print_durations(out, "tasks", outcome.tasks);
        format(out, "       tasks over 50 us: {}, and {} that the host interrupted (max {:.1} us)\n",
               outcome.long_tasks, outcome.interrupted_tasks.count,
               static_cast<double>(outcome.interrupted_tasks.most) / 1e3);
    }
    for (OwnerChange const& change : outcome.changes.list())
        format(out, "       owners {} -> {}: {:.3} ms, {:.3} M ops/s during, {:.3} before\n", change.from, change.to,
               change.seconds * 1e3, change.during / 1e6, change.before / 1e6);
}

void write_details(JsonWriter& json, TableOptions const& options, TableExperiment::Outcome const& outcome) {
    if (options.latency) write_durations(json, "latency", outcome.latency);
    if (options.task_times) {
        write_durations(json, "tasks", outcome.tasks);
        write_durations(json, "interrupted_tasks", outcome.interrupted_tasks);
        json.field("long_tasks", outcome.long_tasks);
    }
    if (outcome.changes.list().empty()) return;
    json.begin_array("owner_changes");
    for (OwnerChange const& change : outcome.changes.list()) {
        json.begin_object();
        json.field("from", change.from);
        json.field("to", change.to);
        json.field("seconds", change.seconds);
        json.field("before", change.before);
        json.field("during", change.during);
        json.end_object();
    }
    json.end_array();
}

void print_json(TextSink& out, TableOptions const& options, Row const& row) {
    JsonWriter json(out);
    json.begin_object();
    json.field("benchmark", "table");
    json.field("model", "tasks");
    json.field("layout", as_typed(options.layout).view());
    json.field("submit", as_typed(options.submit).view());
    json.field("notation", as_typed(options.notation).view());
    json.field("walk", as_typed(options.walk).view());
    json.field("probe", as_typed(options.probe).view());
    json.field("hash", as_typed(options.hash).view());
    json.field("prefetch", options.prefetch.value_or(workers::usual_prefetch_distance()));
    json.field("queue", as_typed(options.queue).view());
    json.field("dist", as_typed(options.distribution).view());
    json.field("keys", as_typed<256>(options.keys).view());
    json.field("mix", name_of(row.mix).view());
    json.field("cores", row.cores);
    json.field("operations", options.operations);
    json.field("tasks_per_core", options.tasks_per_core);
    json.field("buckets", row.buckets);
    json.field("seed", options.seed);
    write_throughput(json, options.operations, row.throughput);
    json.field("verified", row.verified);
    if (row.drift > 0) json.field("drift", row.drift);
    json.field("table_bytes", row.last.table_bytes);
    write_details(json, options, row.last);
    write_machine(json);
    json.end_object();
    out.write("\n");
}

void print_wrong(TextSink& out, Mix const& mix, TableExperiment::Outcome const& outcome) {
    format(out,
           "error: verification failed ({}): {} operations gave a wrong result, {} keys are missing or there wrongly, "
           "{} keys are in the table and should be {}\n",
           name_of(mix).view(), outcome.wrong, outcome.strayed, outcome.in_table, outcome.expected_in_table);
}

// `repeat` runs of one configuration; a row for each phase.
Result<NodeVector<Row>> measure(Invocation& invocation, TableOptions const& options, std::uint32_t cores,
                                Progress& progress) {
    EngineKind const* const engine = MXK_TRY(choose_engine(options));
    auto experiment = MXK_TRY(TableExperiment::create(options, *engine, cores));
    auto const phases = options.mix.list();
    NodeId const here = Worker::current().node();
    auto rows = MXK_TRY(NodeVector<Row>::create(phases.size(), here));
    auto throughputs = MXK_TRY(NodeArray<double>::create(phases.size() * options.repeat, here));
    for (Mix const& mix : phases) rows.emplace(Row{.cores = cores, .mix = mix, .verified = true});
    for (std::uint32_t i = 0; i < options.repeat; ++i) {
        MXK_TRY(experiment.prepare(progress));
        for (std::size_t p = 0; p < phases.size(); ++p) {
            TableExperiment::Outcome const outcome = MXK_TRY(experiment.run(phases[p], progress));
            rows[p].last = outcome;
            rows[p].buckets = experiment.bucket_count(); // of a table that grows, in the end
            throughputs[p * options.repeat + i] = static_cast<double>(options.operations) / outcome.time.seconds();
            if (outcome.verified()) continue;
            rows[p].verified = false;
            progress.clear();
            print_wrong(invocation.out, phases[p], outcome);
        }
    }
    for (std::size_t p = 0; p < phases.size(); ++p)
        rows[p].throughput = summarise(throughputs.span().subspan(p * options.repeat, options.repeat));
    return rows;
}

// The first configuration again: its phases' rows are the first of all.
Result<void> measure_drift(Invocation& invocation, TableOptions const& options, NodeVector<Row>& rows,
                           Progress& progress) {
    std::size_t const phases = options.mix.size();
    auto const again = MXK_TRY(measure(invocation, options, rows[0].cores, progress));
    progress.clear();
    bool verified = true;
    for (std::size_t p = 0; p < phases; ++p) {
        double const drift = again[p].throughput.median / rows[p].throughput.median;
        for (std::size_t i = p; i < rows.size(); i += phases) rows[i].drift = drift;
        format(invocation.out, "drift: {}, {} cores again at the end: {:.3} M ops/s, {:.3} of the first row\n",
               name_of(again[p].mix).view(), again[p].cores, again[p].throughput.median / 1e6, drift);
        verified = verified && again[p].verified;
    }
    if (!verified) return Error("the repeated first configuration failed its verification");
    return {};
}

// All rows, and the first configuration again if there are several. What was measured before an error is still
// reported.
Result<void> measure_all(Invocation& invocation, TableOptions const& options, NodeVector<Row>& rows) {
    Progress progress(invocation.out);
    for (std::uint32_t const cores : options.cores.values()) {
        auto const measured = MXK_TRY(measure(invocation, options, cores, progress));
        progress.clear();
        for (std::size_t p = 0; p < measured.size(); ++p) {
            Row const& row = rows.emplace(measured[p]);
            print_row(invocation.out, options, row, rows[p]);
            print_details(invocation.out, options, row.last);
        }
    }
    if (options.cores.values().size() < 2) return {};
    return measure_drift(invocation, options, rows, progress);
}

// Workers look as far ahead as the benchmark says, and afterwards as they usually do.
class PrefetchDistance {
  public:
    // `tasks`: none: as usual.
    explicit PrefetchDistance(std::optional<std::uint32_t> tasks)
        : wanted_(tasks.has_value())
        , set_(wanted_ && set(*tasks)) {}
    ~PrefetchDistance() {
        if (set_ && !set(workers::usual_prefetch_distance())) log::warn("no memory to set the prefetch distance back");
    }
    [[nodiscard]] bool ok() const { return set_ == wanted_; } // else there is no memory
    PrefetchDistance(PrefetchDistance const&) = delete;
    PrefetchDistance& operator=(PrefetchDistance const&) = delete;

  private:
    static bool set(std::uint32_t tasks) {
        auto cores = NodeVector<CoreId>::create(workers::count(), Worker::current().node());
        if (!cores) return false;
        for (std::size_t i = 0; i < workers::count(); ++i) cores.value().emplace(core_id(i));
        return run_on(cores.value().span(), [tasks](Worker& worker, std::size_t) {
            worker.set_prefetch_distance(tasks);
            return Step::Done;
        });
    }

    bool wanted_;
    bool set_;
};

// All that can be known before a run. Errors: what was typed is wrong, or contradicts itself.
Result<TableOptions> read_options(Invocation const& invocation) {
    TableOptions options;
    MXK_TRY(console::parse(invocation.arguments, table_schema, options));
    options.hash = MXK_TRY(choose_engine(options))->hash; // so that the rows say which it was
    MXK_TRY(check(options));
    MXK_TRY(complete_core_counts(options.cores));
    return options;
}

console::Outcome run_table(Invocation& invocation) {
    auto read = read_options(invocation);
    if (!read) return invocation.fail(read.error());
    auto const file_keys = read_keys(read.value(), Worker::current().node());
    if (!file_keys) return invocation.fail(file_keys.error());
    TableOptions const& options = read.value();
    auto rows = NodeVector<Row>::create(options.cores.values().size() * options.mix.size(), Worker::current().node());
    if (!rows) return invocation.fail(rows.error());
    PrefetchDistance const distance(options.prefetch);
    if (!distance.ok()) return invocation.fail(no_memory_for_steps());
    print_head(invocation.out, options);
    auto const measured = measure_all(invocation, options, rows.value());
    if (options.json)
        for (Row const& row : rows.value()) print_json(invocation.out, options, row);
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
            out.write("Examples: bench table --cores 1,2,4 --ops 24M --mix mixed:50/40/10 --repeat 5 --json\n"
                      "          bench table --cores 1,2 --mix insert,find,erase\n"
                      "          bench table --layout bucketed --cores 1,2 --mix find --dist zipf:0.99\n");
            print_engines(out);
        },
    .complete = [](std::span<std::string_view const> before,
                   console::Candidates& candidates) { console::complete_options(before, table_schema, candidates); },
};
MXK_REGISTER(mxk_benchmarks, Benchmark, table_benchmark);

} // namespace
} // namespace mxk::bench
