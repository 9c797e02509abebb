// `bench task`: what tasks cost in cycles: one from the local queue, a hop between cores of a node, one of a stream, a
// round trip, the wake-up of a core that sleeps. The first measure is taken again at the end: how much it differs is
// the drift that all rows may have. Every run checks that each task ran where, as often, and in the order it had to.
#include <algorithm>

#include "base/json.hpp"
#include "bench/benchmark.hpp"
#include "bench/machine_record.hpp"
#include "bench/progress.hpp"
#include "bench/task_experiment.hpp"
#include "bench/task_repeated.hpp"
#include "kernel/memory/node_vector.hpp"
#include "kernel/system_topology.hpp"

namespace mxk::bench {
namespace {

using console::Invocation;

struct Skipped {
    Measure measure;
    Error reason;
};

// What is to be measured, and what cannot be.
struct Plan {
    struct Step {
        Measure measure;
        CorePair cores;
    };
    NodeVector<Step> steps;
    NodeVector<Skipped> skipped;

    // Error: a measure that was asked for by name cannot be taken.
    static Result<Plan> make(TaskOptions const& options);
};

Result<Plan> Plan::make(TaskOptions const& options) {
    auto const cores = MXK_TRY(TaskCores::choose(system_topology(), options.cores.values()));
    NodeId const here = Worker::current().node();
    Plan plan;
    plan.steps = MXK_TRY(NodeVector<Step>::create(all_measures.size(), here));
    plan.skipped = MXK_TRY(NodeVector<Skipped>::create(all_measures.size(), here));
    for (Measure const measure : all_measures) {
        if (!options.measures.empty() && !options.measures.has(measure)) continue;
        auto const pair = cores.cores_for(measure);
        if (pair)
            plan.steps.emplace(measure, pair.value());
        else if (options.measures.empty())
            plan.skipped.emplace(measure, pair.error());
        else
            return Error::of("--measure {}: {}", name_of(measure), pair.error().message());
    }
    return plan;
}

Result<TaskSample> run_once(Plan::Step const& step, TaskOptions const& options, Progress& progress) {
    switch (step.measure) {
    case Measure::Local: return run_local(step.cores, options, progress);
    case Measure::Hop: return run_hop(step.cores, options, progress);
    case Measure::Stream: return run_stream(step.cores, options, progress);
    case Measure::Mail: return run_mail(step.cores, options, progress);
    case Measure::RoundTrip:
    case Measure::RemoteRoundTrip: return run_round_trip(step.cores, options, progress);
    case Measure::Wake: break;
    }
    return run_wake(step.cores, options, progress);
}

Result<TaskRow> measure_row(Plan::Step const& step, TaskOptions const& options, Progress& progress) {
    TaskRow row{.measure = step.measure, .cores = step.cores, .depth = options.depth_of(step.measure)};
    MXK_TRY(repeat_runs(options.repeat, row, [&] { return run_once(step, options, progress); }));
    return row;
}

// What was measured before an error is still reported.
Result<void> measure_all(Invocation& invocation, TaskOptions const& options, Plan const& plan, Progress& progress,
                         NodeVector<TaskRow>& rows, double& drift) {
    for (Plan::Step const& step : plan.steps) {
        TaskRow const row = MXK_TRY(measure_row(step, options, progress));
        rows.emplace(row);
        progress.clear();
        print_task_row(invocation.out, name_of(row.measure), row);
    }
    if (rows.size() < 2) return {};
    TaskRow const again = MXK_TRY(measure_row(plan.steps[0], options, progress));
    progress.clear();
    drift = again.cycles.median / rows[0].cycles.median;
    format(invocation.out, "drift: {} again at the end: {:.1} cycles, {:.3} of the first row\n", name_of(again.measure),
           again.cycles.median, drift);
    if (!again.verified) return Error("the repeated first measure failed its verification");
    return {};
}

void print_json(TextSink& out, TaskRow const& row, Plan const& plan, double drift) {
    JsonWriter json(out);
    json.begin_object();
    json.field("benchmark", "task");
    write_task_row(json, row);
    if (drift > 0) json.field("drift", drift);
    json.begin_array("skipped");
    for (Skipped const& skipped : plan.skipped) {
        FixedText<128> text;
        format(text, "{}: {}", name_of(skipped.measure), skipped.reason.message());
        json.element(text.view());
    }
    json.end_array();
    write_machine(json);
    json.end_object();
    out.write("\n");
}

console::Outcome run_task(Invocation& invocation) {
    TaskOptions options;
    if (auto const parsed = console::parse(invocation.arguments, task_schema, options); !parsed)
        return invocation.fail(parsed.error());
    auto const plan = Plan::make(options);
    if (!plan) return invocation.fail(plan.error());
    auto rows = NodeVector<TaskRow>::create(plan.value().steps.size(), Worker::current().node());
    if (!rows) return invocation.fail(rows.error());

    Progress progress(invocation.out); // whoever sees the head can end it
    format(invocation.out, "task: {} tasks at once in local and hop, {} in streams; {} runs per row\n", options.depth,
           options.pool, options.repeat);
    print_task_head(invocation.out);
    double drift = 0;
    auto const measured = measure_all(invocation, options, plan.value(), progress, rows.value(), drift);
    progress.clear();
    for (Skipped const& skipped : plan.value().skipped)
        format(invocation.out, "skipped: {}: {}\n", name_of(skipped.measure), skipped.reason.message());
    if (options.json)
        for (TaskRow const& row : rows.value()) print_json(invocation.out, row, plan.value(), drift);
    if (!measured) return invocation.fail(measured.error());
    bool const verified =
        std::all_of(rows.value().begin(), rows.value().end(), [](TaskRow const& row) { return row.verified; });
    if (!verified)
        return invocation.fail(
            Error("verification failed: a task ran on another core, in another order, or not as often "
                  "as it had to (rows marked NO)"));
    return console::Outcome::Ok;
}

void complete(std::span<std::string_view const> before, console::Candidates& candidates) {
    if (before.empty() || before.back() != "--measure") return complete_options(before, task_schema, candidates);
    for (Measure const measure : all_measures) candidates.offer(name_of(measure));
}

constexpr Benchmark task_benchmark{
    .name = "task",
    .summary = "cycles per task: from the local queue, per hop, in a stream, per round trip, per wake-up",
    .run = &run_task,
    .help =
        [](TextSink& out) {
            console::print_help(out, task_schema, TaskOptions{});
            out.write("Example: bench task --measure local,round-trip --cores 0,1 --repeat 10 --json\n");
        },
    .complete = &complete,
};
MXK_REGISTER(mxk_benchmarks, Benchmark, task_benchmark);

} // namespace
} // namespace mxk::bench
