// `bench table`: operations per second of a partitioned hash table, run by one of the engines (engine.hpp), for
// several core counts (thesis section 4, figures 4.1 to 4.6). Time is rdtsc from the first core's start behind a
// barrier to the last core's end. The first configuration is measured again at the end: how much it differs is the
// drift that all rows may have. Every run is verified; a wrong result fails the benchmark, but where losses are what is
// measured.
#include <algorithm>
#include <optional>
#include <string_view>

#include "base/log.hpp"
#include "bench/frame/benchmark.hpp"
#include "bench/frame/core_counts.hpp"
#include "bench/frame/progress.hpp"
#include "bench/frame/steps.hpp"
#include "bench/table/engine.hpp"
#include "bench/table/table_experiment.hpp"
#include "bench/table/table_report.hpp"
#include "bench/workload/workload.hpp"
#include "tasks/parallel.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {
namespace {

using console::Invocation;

Result<NodeVector<CoreId>> first_cores(std::uint32_t count) {
    auto cores = MXK_TRY(NodeVector<CoreId>::create(count, Worker::current().node()));
    for (std::uint32_t i = 0; i < count; ++i) cores.emplace(core_id(i));
    return cores;
}

// `repeat` runs of one configuration; a row for each phase.
Result<NodeVector<TableRow>> measure(Invocation& invocation, TableOptions const& options, std::uint32_t cores,
                                     Progress& progress) {
    EngineKind const* const engine = MXK_TRY(choose_engine(options));
    auto const set = MXK_TRY(first_cores(cores));
    auto experiment = MXK_TRY(TableExperiment::create(options, *engine, set.span()));
    auto const phases = options.mix.list();
    NodeId const here = Worker::current().node();
    auto rows = MXK_TRY(NodeVector<TableRow>::create(phases.size(), here));
    auto throughputs = MXK_TRY(NodeArray<double>::create(phases.size() * options.repeat, here));
    for (Mix const& mix : phases) rows.emplace(TableRow{.cores = cores, .mix = mix, .verified = true});
    for (std::uint32_t i = 0; i < options.repeat; ++i) {
        MXK_TRY(experiment.prepare(progress));
        for (std::size_t p = 0; p < phases.size(); ++p) {
            TableExperiment::Outcome const outcome = MXK_TRY(experiment.run(phases[p], progress));
            rows[p].last = outcome;
            rows[p].buckets = experiment.bucket_count(); // of a table that grows, in the end
            throughputs[p * options.repeat + i] = static_cast<double>(options.operations) / outcome.time.seconds();
            if (outcome.verified()) continue;
            rows[p].verified = false;
            rows[p].lost = std::max(rows[p].lost, outcome.lost);
            if (may_lose(options)) continue;
            progress.clear();
            print_wrong(invocation.out, phases[p], outcome);
        }
    }
    for (std::size_t p = 0; p < phases.size(); ++p)
        rows[p].throughput = summarise(throughputs.span().subspan(p * options.repeat, options.repeat));
    return rows;
}

// The first configuration again: its phases' rows are the first of all.
Result<void> measure_drift(Invocation& invocation, TableOptions const& options, NodeVector<TableRow>& rows,
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
        verified = verified && (again[p].verified || may_lose(options));
    }
    if (!verified) return Error("the repeated first configuration failed its verification");
    return {};
}

// All rows, and the first configuration again if there are several. What was measured before an error is still
// reported.
Result<void> measure_all(Invocation& invocation, TableOptions const& options, NodeVector<TableRow>& rows) {
    Progress progress(invocation.out);
    for (std::uint32_t const cores : options.cores.values()) {
        auto const measured = MXK_TRY(measure(invocation, options, cores, progress));
        progress.clear();
        for (std::size_t p = 0; p < measured.size(); ++p) {
            TableRow const& row = rows.emplace(measured[p]);
            print_row(invocation.out, options, row, rows[p]);
        }
    }
    if (options.cores.values().size() < 2) return {};
    return measure_drift(invocation, options, rows, progress);
}

// Workers look as far ahead as the benchmark says, and afterwards as by default.
class PrefetchDistance {
  public:
    // `tasks`: none: the default.
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
    MXK_TRY(check(options));
    MXK_TRY(complete(options)); // so that the rows say what was measured
    MXK_TRY(complete_core_counts(options.cores));
    return options;
}

console::Outcome run_table(Invocation& invocation) {
    auto read = read_options(invocation);
    if (!read) return invocation.fail(read.error());
    auto const file_keys = read_keys(read.value(), Worker::current().node());
    if (!file_keys) return invocation.fail(file_keys.error());
    TableOptions const& options = read.value();
    auto rows =
        NodeVector<TableRow>::create(options.cores.values().size() * options.mix.size(), Worker::current().node());
    if (!rows) return invocation.fail(rows.error());
    PrefetchDistance const distance(options.prefetch);
    if (!distance.ok()) return invocation.fail(no_memory_for_steps());
    print_head(invocation.out, options);
    auto const measured = measure_all(invocation, options, rows.value());
    if (options.json)
        for (TableRow const& row : rows.value()) print_json(invocation.out, options, row);
    if (!measured) return invocation.fail(measured.error());
    bool const verified = may_lose(options) || std::all_of(rows.value().begin(), rows.value().end(),
                                                           [](TableRow const& row) { return row.verified; });
    return verified ? console::Outcome::Ok : console::Outcome::Failed;
}

constexpr Benchmark table_benchmark{
    .name = "table",
    .summary = "operations per second of a partitioned hash table, run by tasks or by threads",
    .run = &run_table,
    .help =
        [](TextSink& out) {
            console::print_help(out, table_schema, TableOptions{});
            out.write("Examples: bench table --cores 1,2,4 --ops 24M --mix mixed:50/40/10 --repeat 5 --json\n"
                      "          bench table --cores 1,2 --mix insert,find,erase\n"
                      "          bench table --layout bucketed --cores 1,2 --mix find --dist zipf:0.99\n"
                      "          bench table --model threads --cores 1,2,4\n"
                      "          bench table --model threads-unsafe --cores 4 (counts what is lost)\n");
            print_engines(out);
        },
    .complete = [](std::span<std::string_view const> before,
                   console::Candidates& candidates) { console::complete_options(before, table_schema, candidates); },
};
MXK_REGISTER(mxk_benchmarks, Benchmark, table_benchmark);

} // namespace
} // namespace mxk::bench
