// `bench dataflow fork`: the time of a request that forks into branches and joins them, one of which is longer (B2). A
// scheduler whose cores cannot take each other's bound tasks leaves them idle here. The ideal is what no schedule can
// beat: all boxes' work by the number of cores, the work of the box that has more than any other, or an envelope's way
// through the first branch. What boxes work is measured in a request of its own, behind those whose time is taken: of
// small envelopes the time stamps would be a good part.
#include <array>
#include <span>

#include "bench/dataflow/dataflow_experiment.hpp"
#include "bench/dataflow/graph_boxes.hpp"
#include "tasks/dataflow/graph/envelope_size.hpp"

namespace mxk::bench {
namespace {

struct ForkOptions : DataflowOptions {
    std::uint32_t width = 4;
    std::uint32_t depth = 3;
    std::uint32_t slow = 3;
    console::CountList envelopes{1, 16};
    std::uint32_t rows = 0;
    std::uint32_t work = 4;
    std::uint32_t capacity = dataflow::Model::default_capacity;
    std::uint32_t requests = 5;
};

constexpr auto fork_schema = console::schema<ForkOptions>(
    dataflow_option::disciplines, core_set_option::cores,
    console::option<&ForkOptions::width>("width", "branches of the fork", console::between(2, 60)),
    console::option<&ForkOptions::depth>("depth", "stages of a branch", console::between(1, 60)),
    console::option<&ForkOptions::slow>("slow", "how much longer the first branch's stages take",
                                        console::between(1, 1000)),
    console::option<&ForkOptions::envelopes>("envelopes", "of a request", console::between(1, 1'000'000)),
    console::option<&ForkOptions::rows>("rows", "of an envelope, 8 bytes each; 0: the recommended number",
                                        console::between(0, 10'000'000)),
    console::option<&ForkOptions::work>("work", "multiplications for each row in each stage",
                                        console::between(0, 10'000)),
    console::option<&ForkOptions::capacity>("capacity", "envelopes that wait at an input",
                                            console::between(1, dataflow::Edge::max_capacity)),
    console::option<&ForkOptions::requests>("requests", "one after the other", console::between(1, 100'000)),
    dataflow_option::no_peers, dataflow_option::sleep_rule, dataflow_option::reruns_bound,
    dataflow_option::steals_first, dataflow_option::patience, dataflow_option::seed, run_option::repeat,
    run_option::warm_up, run_option::json);

constexpr std::array fork_claims{
    DataflowClaim{"no more than 1.2 times the ideal", DataflowClaim::Kind::FindingIsUpTo, "time_by_ideal", 1.2},
    DataflowClaim{"no more than half the time of oneTBB's flow graph", DataflowClaim::Kind::TakesNoMore,
                  "tbb-flow-graph", 0.5, true},
};

// What requests of one run took together, and what the one behind them had to do.
struct ForkTimes {
    double cycles = 0;
    double ideal = 0; // of one request
    double branch_changes = 0;
    bool is_right = true;

    void add(GraphShape const& shape, GraphResult const& done) {
        cycles += static_cast<double>(raw(done.end - done.start));
        is_right = is_right && done.is_right(shape);
    }
    void set_ideal(GraphShape const& shape, GraphResult const& timed, std::size_t cores) {
        ideal = timed.ideal(cores, shape.envelopes);
        is_right = is_right && timed.is_right(shape);
    }
};

struct ForkBench {
    using Options = ForkOptions;
    static constexpr std::string_view name = "dataflow fork";
    static constexpr Unit unit = Unit::NanosecondsPerOperation;
    static constexpr DisciplineSet default_disciplines = all_disciplines;
    static constexpr bool has_peers = true;

    explicit ForkBench(Options const& its_options)
        : options(its_options) {}
    Result<void> prepare() {
        for (std::uint32_t const envelopes : options.envelopes.values())
            shapes[count++] = {.envelopes = envelopes,
                               .rows = dataflow::rows_or_recommended(options.rows, sizeof(std::uint64_t)),
                               .branches = options.width,
                               .stages = options.depth,
                               .work = options.work,
                               .slow = options.slow,
                               .capacity = options.capacity};
        return {};
    }
    [[nodiscard]] std::size_t points() const { return count; }
    static constexpr std::span<DataflowClaim const> claims() { return fork_claims; }
    static bool is_judged(DataflowClaim const& /*claim*/, std::size_t /*point*/) { return true; }

    Result<void> run(DataflowRun const& run) const {
        GraphShape const& shape = shapes[run.point];
        ForkTimes const times =
            run.system.peer != nullptr ? MXK_TRY(run_peer(run, shape)) : MXK_TRY(run_own(run, shape));
        double const requests = options.requests;
        Sample& sample = run.sample;
        sample.value = times.cycles / requests * 1e9 / static_cast<double>(clock::frequency());
        sample.operations = options.requests;
        sample.verified = times.is_right;
        sample.findings.add("time_by_ideal", times.cycles / requests / times.ideal);
        if (run.system.peer == nullptr) sample.findings.add("branch_changes", times.branch_changes / shape.envelopes);
        return {};
    }

    void print_head(TextSink& out) const {
        format(out, "{} branches of {} stages of {} multiplications, the first one's {}; envelopes of {} rows",
               options.width, options.depth, options.work, options.work * options.slow, shapes[0].rows);
    }
    static void print_heading(TextSink& out) { format(out, " {:>9}", "envelopes"); }
    void print_point(TextSink& out, std::size_t point) const { format(out, " {:9}", shapes[point].envelopes); }
    void write_point(JsonWriter& json, std::size_t point) const {
        GraphShape const& shape = shapes[point];
        json.field("envelopes", shape.envelopes);
        json.field("rows", shape.rows);
        json.field("width", shape.branches);
        json.field("depth", shape.stages);
        json.field("work", shape.work);
        json.field("slow", shape.slow);
        json.field("capacity", shape.capacity);
    }

    Options options;
    std::array<GraphShape, console::CountList::capacity> shapes{};
    std::size_t count = 0;

  private:
    // The same with boxes that are timed.
    static GraphShape timed(GraphShape shape) {
        shape.is_timed = true;
        return shape;
    }
    Result<ForkTimes> run_peer(DataflowRun const& run, GraphShape const& shape) const {
        auto results = MXK_TRY(NodeVector<GraphResult>::create(options.requests, Worker::current().node()));
        for (std::uint32_t i = 0; i < options.requests; ++i) results.emplace();
        MXK_TRY(run.system.peer->run(shape, run.cores, results.span()));
        ForkTimes times;
        for (GraphResult const& result : results) times.add(shape, result);
        std::array<GraphResult, 1> with_work;
        MXK_TRY(run.system.peer->run(timed(shape), run.cores, with_work));
        times.set_ideal(shape, with_work[0], run.cores.size());
        return times;
    }
    Result<ForkTimes> run_own(DataflowRun const& run, GraphShape const& shape) const {
        dataflow::Model model;
        MXK_TRY(make_graph(model, shape));
        auto const scheduler = MXK_TRY(dataflow::Scheduler::create(run.cores, run.scheduler));
        auto const run_one = [&](GraphShape const& one, auto note) -> Result<void> {
            Ends ends(1);
            std::array<GraphQuery, 1> queries{GraphQuery(model, one, ends)};
            MXK_TRY(run_all(*scheduler, queries, ends, run.progress));
            MXK_TRY(queries[0].result());
            note(queries[0]);
            return {};
        };
        ForkTimes times;
        for (std::uint32_t i = 0; i < options.requests; ++i)
            MXK_TRY(run_one(shape, [&](GraphQuery const& query) { times.add(shape, query.done); }));
        MXK_TRY(run_one(timed(shape), [&](GraphQuery const& query) {
            times.set_ideal(shape, query.done, run.cores.size());
            times.branch_changes = query.branch_changes.load(std::memory_order_relaxed);
        }));
        return times;
    }
};
constexpr auto fork_benchmark = benchmark<DataflowExperiment<ForkBench>, fork_schema>(
    {.summary = "the time of a fork into branches and their join, by the ideal",
     .notes = "branch_changes: how often another branch's stage ran than before, for each envelope; on one core a\n"
              "scheduler that runs depth-first changes as often as there are branches.\n"
              "Example: bench dataflow fork --cores 2 --discipline requests,original --envelopes 1\n",
     .parent = "bench dataflow"});
MXK_REGISTER(mxk_commands, console::Command, fork_benchmark);

} // namespace
} // namespace mxk::bench
