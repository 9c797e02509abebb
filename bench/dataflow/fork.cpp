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

constexpr auto fork_schema = dataflow_schema<ForkOptions>(
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
    dataflow_option::no_peers);

constexpr std::array fork_claims{
    Claim{.statement = "no more than 1.2 times the ideal",
          .bound = Bound::up_to(1.2),
          .left = {.of = "requests", .finding = "time_by_ideal"}},
    Claim{.statement = "no more than half the time of oneTBB's flow graph",
          .bound = Bound::up_to(0.5),
          .left = {.of = "requests"},
          .right = {.of = "tbb-flow-graph"},
          .on = Claim::On::LastSet,
          .takes_others = true},
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

constexpr DataflowPlan fork_plan{
    .name = "dataflow fork", .disciplines = all_disciplines, .has_peers = true, .claims = fork_claims};

class ForkBench final : public DataflowBench<ForkOptions, fork_plan> {
  public:
    using DataflowBench::DataflowBench;

  private:
    void add_axes() override { add(Axis::of("envelopes", 9, options_.envelopes.values())); }

    Result<void> run_flow(DataflowRun const& run) override {
        GraphShape const shape = shape_at(run.point);
        ForkTimes const times =
            run.system.peer != nullptr ? MXK_TRY(run_peer(run, shape)) : MXK_TRY(run_own(run, shape));
        double const requests = options_.requests;
        Sample& sample = run.sample;
        sample.value = times.cycles / requests * 1e9 / static_cast<double>(clock::frequency());
        sample.operations = options_.requests;
        sample.verified = times.is_right;
        sample.findings.add("time_by_ideal", times.cycles / requests / times.ideal);
        if (run.system.peer == nullptr) sample.findings.add("branch_changes", times.branch_changes / shape.envelopes);
        return {};
    }
    void print_what(TextSink& out) const override {
        format(out, "{} branches of {} stages of {} multiplications, the first one's {}; envelopes of {} rows",
               options_.width, options_.depth, options_.work, options_.work * options_.slow, shape_at({}).rows);
    }
    void write_options(JsonWriter& json, Point const& point) const override {
        write_fields(json, {{"rows", shape_at(point).rows},
                            {"width", options_.width},
                            {"depth", options_.depth},
                            {"work", options_.work},
                            {"slow", options_.slow},
                            {"capacity", options_.capacity}});
    }

    [[nodiscard]] GraphShape shape_at(Point const& point) const {
        return {.envelopes = options_.envelopes.values()[point[first_axis]],
                .rows = dataflow::rows_or_recommended(options_.rows, sizeof(std::uint64_t)),
                .branches = options_.width,
                .stages = options_.depth,
                .work = options_.work,
                .slow = options_.slow,
                .capacity = options_.capacity};
    }
    // The same with boxes that are timed.
    static GraphShape timed(GraphShape shape) {
        shape.is_timed = true;
        return shape;
    }
    Result<ForkTimes> run_peer(DataflowRun const& run, GraphShape const& shape) const {
        auto results = MXK_TRY(NodeVector<GraphResult>::create(options_.requests, Worker::current().node()));
        for (std::uint32_t i = 0; i < options_.requests; ++i) results.emplace();
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
        ForkTimes times;
        auto const add = [&](GraphQuery const& query) { times.add(shape, query.done); };
        for (std::uint32_t i = 0; i < options_.requests; ++i)
            MXK_TRY(run_graph(*scheduler, model, shape, run.progress, add));
        MXK_TRY(run_graph(*scheduler, model, timed(shape), run.progress, [&](GraphQuery const& query) {
            times.set_ideal(shape, query.done, run.cores.size());
            times.branch_changes = query.branch_changes.load(std::memory_order_relaxed);
        }));
        return times;
    }
};
constexpr auto fork_benchmark = benchmark<ForkBench, fork_schema>(
    {.summary = "the time of a fork into branches and their join, by the ideal",
     .notes = "branch_changes: how often another branch's stage ran than before, for each envelope; on one core a\n"
              "scheduler that runs depth-first changes as often as there are branches.\n"
              "Example: bench dataflow fork --cores 2 --discipline requests,original --envelopes 1\n",
     .parent = "bench dataflow"});
MXK_REGISTER(mxk_commands, console::Command, fork_benchmark);

} // namespace
} // namespace mxk::bench
