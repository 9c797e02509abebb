// `bench dataflow pipe`: rows per second through a source, some stages and a sink, one of which may be slow, with
// buffers of any capacity (B1); the same graph by libraries of others.
#include <algorithm>
#include <array>
#include <span>

#include "bench/dataflow/dataflow_experiment.hpp"
#include "bench/dataflow/graph_boxes.hpp"
#include "tasks/dataflow/graph/envelope_size.hpp"

namespace mxk::bench {
namespace {

struct PipeOptions : DataflowOptions {
    std::uint32_t stages = 3;
    console::CountList rows{16, 0};
    std::uint32_t envelopes = 0;
    std::uint32_t work = 4;
    std::uint32_t slow = 1;
    std::uint32_t capacity = dataflow::Model::default_capacity;
};

constexpr auto pipe_schema = console::schema<PipeOptions>(
    dataflow_option::disciplines, core_set_option::cores,
    console::option<&PipeOptions::stages>("stages", "between the source and the sink", console::between(1, 60)),
    console::option<&PipeOptions::rows>("rows", "of an envelope, 8 bytes each; 0: the recommended number",
                                        console::between(0, 10'000'000)),
    console::option<&PipeOptions::envelopes>("envelopes", "0: as many as make 20 million rows, 500 to 100 thousand",
                                             console::between(0, 100'000'000)),
    console::option<&PipeOptions::work>("work", "multiplications for each row in each stage",
                                        console::between(0, 10'000)),
    console::option<&PipeOptions::slow>("slow", "how many times that in the stage in the middle",
                                        console::between(1, 1000)),
    console::option<&PipeOptions::capacity>("capacity", "envelopes that wait at an input",
                                            console::between(1, dataflow::Edge::max_capacity)),
    dataflow_option::no_peers, dataflow_option::sleep_rule, dataflow_option::reruns_bound,
    dataflow_option::steals_first, dataflow_option::patience, dataflow_option::seed, run_option::repeat,
    run_option::warm_up, run_option::json);

constexpr std::array pipe_claims{
    DataflowClaim{"twice as much as oneTBB's flow graph with the smallest envelopes", DataflowClaim::Kind::DoesNoLess,
                  "tbb-flow-graph", 2.0, true},
};

struct PipeBench {
    using Options = PipeOptions;
    static constexpr std::string_view name = "dataflow pipe";
    static constexpr Unit unit = Unit::OperationsPerSecond;
    static constexpr DisciplineSet default_disciplines{Discipline::Requests};
    static constexpr bool has_peers = true;

    explicit PipeBench(Options const& its_options)
        : options(its_options) {}
    Result<void> prepare() {
        for (std::uint32_t const rows : options.rows.values()) shapes[count++] = shape_of(rows);
        return {};
    }
    [[nodiscard]] std::size_t points() const { return count; }
    static constexpr std::span<DataflowClaim const> claims() { return pipe_claims; }
    [[nodiscard]] bool is_judged(DataflowClaim const& /*claim*/, std::size_t point) const {
        auto const all = std::span(shapes).first(count);
        return shapes[point].rows == std::ranges::min_element(all, {}, &GraphShape::rows)->rows;
    }

    Result<void> run(DataflowRun const& run) const {
        GraphShape const& shape = shapes[run.point];
        return run.system.peer != nullptr ? run_peer(run, shape) : run_own(run, shape);
    }

    void print_head(TextSink& out) const {
        format(out, "{} stages of {} multiplications, one of {}; up to {} envelopes wait at an input", options.stages,
               options.work, options.work * options.slow, options.capacity);
    }
    static void print_heading(TextSink& out) { format(out, " {:>8}", "rows"); }
    void print_point(TextSink& out, std::size_t point) const { format(out, " {:8}", shapes[point].rows); }
    void write_point(JsonWriter& json, std::size_t point) const {
        GraphShape const& shape = shapes[point];
        json.field("rows", shape.rows);
        json.field("envelopes", shape.envelopes);
        json.field("stages", shape.stages);
        json.field("work", shape.work);
        json.field("slow", shape.slow);
        json.field("capacity", shape.capacity);
    }

    Options options;
    std::array<GraphShape, console::CountList::capacity> shapes{};
    std::size_t count = 0;

  private:
    [[nodiscard]] GraphShape shape_of(std::uint32_t rows) const {
        GraphShape shape{.rows = dataflow::rows_or_recommended(rows, sizeof(std::uint64_t)),
                         .stages = options.stages,
                         .work = options.work,
                         .slow = options.slow,
                         .capacity = options.capacity};
        shape.envelopes =
            options.envelopes != 0 ? options.envelopes : std::clamp(20'000'000U / shape.rows, 500U, 100'000U);
        return shape;
    }
    static void fill(Sample& sample, GraphShape const& shape, GraphResult const& result) {
        double const seconds =
            static_cast<double>(raw(result.end - result.start)) / static_cast<double>(clock::frequency());
        sample.value = static_cast<double>(shape.all_rows()) / seconds;
        sample.operations = shape.all_rows();
        sample.verified = result.is_right(shape);
        sample.findings.add("ns_per_box_run", seconds * 1e9 / (shape.boxes() * static_cast<double>(shape.envelopes)));
    }
    static Result<void> run_peer(DataflowRun const& run, GraphShape const& shape) {
        std::array<GraphResult, 1> results;
        MXK_TRY(run.system.peer->run(shape, run.cores, results));
        fill(run.sample, shape, results[0]);
        return {};
    }
    static Result<void> run_own(DataflowRun const& run, GraphShape const& shape) {
        dataflow::Model model;
        MXK_TRY(make_graph(model, shape));
        auto const scheduler = MXK_TRY(dataflow::Scheduler::create(run.cores, run.scheduler));
        Ends ends(1);
        std::array<GraphQuery, 1> queries{GraphQuery(model, shape, ends)};
        MXK_TRY(run_all(*scheduler, queries, ends, run.progress));
        MXK_TRY(queries[0].result());
        fill(run.sample, shape, queries[0].done);
        auto const edges = queries[0].edge_counts();
        SchedulerCounts const counts(*scheduler);
        run.sample.findings.add("rejected_pct",
                                100 * static_cast<double>(edges.rejected) / static_cast<double>(edges.envelopes));
        run.sample.findings.add("max_fill", static_cast<double>(edges.max_fill));
        run.sample.findings.add("stolen_pct", counts.stolen_percent());
        return {};
    }
};
constexpr auto pipe_benchmark = benchmark<DataflowExperiment<PipeBench>, pipe_schema>(
    {.summary = "rows per second through a pipe of boxes",
     .notes = "Example: bench dataflow pipe --cores 1,2 --rows 16,0 --slow 4 --capacity 1\n",
     .parent = "bench dataflow"});
MXK_REGISTER(mxk_commands, console::Command, pipe_benchmark);

} // namespace
} // namespace mxk::bench
