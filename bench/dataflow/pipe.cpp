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

constexpr auto pipe_schema = dataflow_schema<PipeOptions>(
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
    dataflow_option::no_peers);

constexpr std::array pipe_claims{
    Claim{.statement = "twice as much as oneTBB's flow graph with the smallest envelopes",
          .bound = Bound::from(2),
          .left = {.of = "requests"},
          .right = {.of = "tbb-flow-graph"},
          .on = Claim::On::LastSet,
          .takes_others = true},
};

constexpr DataflowPlan pipe_plan{
    .name = "dataflow pipe", .unit = Unit::OperationsPerSecond, .has_peers = true, .claims = pipe_claims};

class PipeBench final : public DataflowBench<PipeOptions, pipe_plan> {
  public:
    using DataflowBench::DataflowBench;

  private:
    Result<void> complete() override {
        for (std::uint32_t const rows : options_.rows.values())
            rows_[count_++] = dataflow::rows_or_recommended(rows, sizeof(std::uint64_t));
        return {};
    }
    void add_axes() override { add(Axis::of("rows", 8, std::span(rows_).first(count_))); }
    [[nodiscard]] bool is_judged(Claim const& /*claim*/, Point const& point) const override {
        return shape_at(point).rows == std::ranges::min(std::span(rows_).first(count_));
    }

    Result<void> run_flow(DataflowRun const& run) override {
        GraphShape const shape = shape_at(run.point);
        if (run.system.peer == nullptr) return run_own(run, shape);
        std::array<GraphResult, 1> results;
        MXK_TRY(run.system.peer->run(shape, run.cores, results));
        fill(run.sample, shape, results[0]);
        return {};
    }
    void print_what(TextSink& out) const override {
        format(out, "{} stages of {} multiplications, one of {}; up to {} envelopes wait at an input", options_.stages,
               options_.work, options_.work * options_.slow, options_.capacity);
    }
    void write_options(JsonWriter& json, Point const& point) const override {
        write_fields(json, {{"envelopes", shape_at(point).envelopes},
                            {"stages", options_.stages},
                            {"work", options_.work},
                            {"slow", options_.slow},
                            {"capacity", options_.capacity}});
    }

    [[nodiscard]] GraphShape shape_at(Point const& point) const {
        std::uint32_t const rows = rows_[point[first_axis]];
        return {.envelopes =
                    options_.envelopes != 0 ? options_.envelopes : std::clamp(20'000'000U / rows, 500U, 100'000U),
                .rows = rows,
                .stages = options_.stages,
                .work = options_.work,
                .slow = options_.slow,
                .capacity = options_.capacity};
    }
    static void fill(Sample& sample, GraphShape const& shape, GraphResult const& result) {
        double const seconds = seconds_of(result.end - result.start);
        sample.value = static_cast<double>(shape.all_rows()) / seconds;
        sample.operations = shape.all_rows();
        sample.verified = result.is_right(shape);
        sample.findings.add("ns_per_box_run", seconds * 1e9 / (shape.boxes() * static_cast<double>(shape.envelopes)));
    }
    static Result<void> run_own(DataflowRun const& run, GraphShape const& shape) {
        dataflow::Model model;
        MXK_TRY(make_graph(model, shape));
        auto const scheduler = MXK_TRY(dataflow::Scheduler::create(run.cores, run.scheduler));
        return run_graph(*scheduler, model, shape, run.progress, [&](GraphQuery const& query) {
            fill(run.sample, shape, query.done);
            auto const edges = query.edge_counts();
            run.sample.findings.add("rejected_pct",
                                    100 * static_cast<double>(edges.rejected) / static_cast<double>(edges.envelopes));
            run.sample.findings.add("max_fill", static_cast<double>(edges.max_fill));
            run.sample.findings.add("stolen_pct", SchedulerCounts(*scheduler).stolen_percent());
        });
    }

    std::array<std::uint32_t, console::CountList::capacity> rows_{};
    std::size_t count_ = 0;
};
constexpr auto pipe_benchmark = benchmark<PipeBench, pipe_schema>(
    {.summary = "rows per second through a pipe of boxes",
     .notes = "Example: bench dataflow pipe --cores 1,2 --rows 16,0 --slow 4 --capacity 1\n",
     .parent = "bench dataflow"});
MXK_REGISTER(mxk_commands, console::Command, pipe_benchmark);

} // namespace
} // namespace mxk::bench
