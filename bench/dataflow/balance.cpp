// `bench dataflow balance`: many requests at once, all to one node, with balancing, and to nodes that are chosen; and
// one request that is too much for a node, alone there and shared (B11, and the thesis' figure 6.2). How many moves and
// shares it takes, how much each node has to do, and whether a request comes back to where it was.
#include <algorithm>
#include <array>
#include <span>

#include "bench/dataflow/dataflow_experiment.hpp"
#include "bench/dataflow/placed_boxes.hpp"

namespace mxk::bench {
namespace {

constexpr std::array balance_claims{
    Claim{.statement = "no request comes back to a node that it has left",
          .bound = Bound::exactly(0),
          .left = {.of = "requests", .finding = "returns"}},
};

// How many cores of nodes were awake, by all of them: of the first node, where requests come that no node is chosen
// for, and of the others; in four parts, by how many requests have ended.
class NodeLoads {
  public:
    static constexpr std::size_t parts = 4;

    void look(dataflow::Scheduler const& scheduler, std::size_t ended, std::size_t requests) {
        Part& part = parts_[std::min(parts - 1, parts * ended / requests)];
        for (dataflow::NodeScheduler const& node : scheduler.nodes()) {
            Load& load = node.place() == 0 ? part.first : part.others;
            load.cores += node.activity.cores();
            load.awake += node.activity.counts().awake;
        }
    }
    void add_findings(Findings& findings, bool has_parts) const {
        Part all;
        for (Part const& part : parts_) {
            all.first.add(part.first);
            all.others.add(part.others);
        }
        findings.add("first_load_pct", all.first.percent());
        findings.add("others_load_pct", all.others.percent());
        if (!has_parts) return;
        constexpr std::array<std::array<std::string_view, 2>, parts> names{{{"first_load_1_pct", "others_load_1_pct"},
                                                                            {"first_load_2_pct", "others_load_2_pct"},
                                                                            {"first_load_3_pct", "others_load_3_pct"},
                                                                            {"first_load_4_pct", "others_load_4_pct"}}};
        for (std::size_t part = 0; part < parts; ++part) {
            findings.add(names[part][0], parts_[part].first.percent());
            findings.add(names[part][1], parts_[part].others.percent());
        }
    }

  private:
    struct Load {
        std::uint64_t cores = 0;
        std::uint64_t awake = 0;
        void add(Load const& other) {
            cores += other.cores;
            awake += other.awake;
        }
        [[nodiscard]] double percent() const {
            return cores == 0 ? 0 : 100 * static_cast<double>(awake) / static_cast<double>(cores);
        }
    };
    struct Part {
        Load first;
        Load others;
    };
    std::array<Part, parts> parts_{};
};

bool is_giant(BalanceWay way) {
    return way == BalanceWay::GiantAlone || way == BalanceWay::GiantShared;
}
bool balances(BalanceWay way) {
    return way != BalanceWay::OneNode && way != BalanceWay::GiantAlone;
}

PlacedShape shape_of(DataflowOptions const& options, BalanceWay way) {
    PlacedShape shape{options};
    if (!is_giant(way)) return shape;
    shape.envelopes = options.giant_envelopes;
    shape.stages = options.giant_stages;
    return shape;
}
// Of all tasks, those that ran on the first node.
double first_tasks_percent(dataflow::Scheduler const& scheduler) {
    std::uint64_t first = 0;
    std::uint64_t all = 0;
    for (std::size_t place = 0; place < scheduler.cores(); ++place) {
        std::uint64_t const tasks = scheduler.at(place).counts().tasks();
        all += tasks;
        if (scheduler.at(place).node_place() == 0) first += tasks;
    }
    return all == 0 ? 0 : 100 * static_cast<double>(first) / static_cast<double>(all);
}

// What one row takes by another one; nothing where one of them was not measured.
void print_ratio(TextSink& out, std::string_view what, Row const* row, std::string_view other_name, Row const* other) {
    if (row == nullptr || other == nullptr || row->value.n == 0 || other->value.n == 0) return;
    if (other->value.median <= 0) return;
    format(out, "{} takes {:.2} of {}\n", what, row->value.median / other->value.median, other_name);
}

// What balancing, the choice of nodes, and sharing bring.
void conclude_ways(TextSink& out, DataflowExperiment const& bench, std::span<Row const> rows) {
    constexpr std::array<std::array<BalanceWay, 2>, 3> pairs{{{BalanceWay::Balanced, BalanceWay::OneNode},
                                                              {BalanceWay::Chosen, BalanceWay::Balanced},
                                                              {BalanceWay::GiantShared, BalanceWay::GiantAlone}}};
    auto const row_of = [&](BalanceWay way) -> Row const* {
        auto const found = std::ranges::find_if(rows, [&](Row const& row) {
            return way_at<&DataflowChoices::balance_ways>(bench.options(), bench.point_of(row)) == way;
        });
        return found != rows.end() ? &*found : nullptr;
    };
    for (auto const& [better, worse] : pairs)
        print_ratio(out, name_of(better), row_of(better), name_of(worse), row_of(worse));
}

Result<void> run_balanced(DataflowRun const& run) {
    BalanceWay const way = way_at<&DataflowChoices::balance_ways>(run.options, run.point);
    dataflow::SchedulerOptions scheduler_options = run.scheduler;
    scheduler_options.chooses_node = way == BalanceWay::Chosen;
    scheduler_options.balances = balances(way);
    scheduler_options.balance_every = Nanoseconds{std::uint64_t{run.options.every} * 1000};
    auto const scheduler = MXK_TRY(dataflow::Scheduler::create(run.cores, scheduler_options));
    PlacedShape const shape = shape_of(run.options, way);
    dataflow::Model model;
    MXK_TRY(make_placed_pipe(model, shape));
    std::size_t const count = is_giant(way) ? 1 : run.options.requests;
    auto queries = MXK_TRY(make_requests<PlacedQuery>(count, model, shape));
    NodeLoads loads;
    Cycles const start = clock::timestamp();
    for (PlacedQuery& query : queries) scheduler->submit(query);
    // Looks at the nodes now and then; its core works meanwhile, or sleeps.
    MXK_TRY(wait_and_look(queries, run.progress, Nanoseconds{1'000'000},
                          [&] { loads.look(*scheduler, count - scheduler->unfinished(), count); }));
    Cycles const end = clock::timestamp();
    unsigned returns = 0;
    bool const is_right = MXK_TRY(are_all_right(queries, [](PlacedQuery const& query) { return query.is_right(); }));
    PlacedUse use;
    for (PlacedQuery const& query : queries) {
        returns += query.returns();
        use.add(query.use);
    }
    Sample& sample = run.sample;
    sample.operations = count;
    sample.value = seconds_of(end - start) * 1e9 / static_cast<double>(count);
    dataflow::Balancer::Counts const& done = scheduler->balancer().counts();
    sample.findings.add("moves", static_cast<double>(done.moves.value()));
    sample.findings.add("shares", static_cast<double>(done.shares.value()));
    sample.findings.add("returns", returns);
    sample.findings.add("first_tasks_pct", first_tasks_percent(*scheduler));
    sample.findings.add("remote_bytes_pct", use.all_bytes().percent());
    loads.add_findings(sample.findings, !is_giant(way));
    bool const has_stayed =
        done.moves.value() == 0 && done.shares.value() == 0 && first_tasks_percent(*scheduler) == 100;
    sample.verified = is_right && returns == 0 && (balances(way) || has_stayed);
    return {};
}

constexpr DataflowScenario balance_scenario{
    .name = "dataflow balance",
    .summary = "many requests at once on nodes that balance or not; one that is shared: time, moves, loads",
    .notes = "first_load_1_pct to first_load_4_pct: cores of the first node that were awake, in four parts by the "
             "requests that have ended; others_load: of the other nodes.\n"
             "Example: bench dataflow balance --cores up-to:16 --repeat 3\n",
    .claims = balance_claims,
    .shape = {.envelopes = 64, .rows = 4096, .stages = 2, .work = 20},
    .choices = {.requests = 200, .giant_envelopes = 1024, .giant_stages = 16, .every = 10'000},
    .ways = &all_ways<&DataflowChoices::balance_ways, 12>,
    .is_judged =
        [](DataflowExperiment const& bench, Point const& point) {
            return balances(way_at<&DataflowChoices::balance_ways>(bench.options(), point));
        },
    .cannot_run = [](DataflowExperiment const& bench, Discipline discipline,
                     Point const& point) -> std::optional<Error> {
        if (discipline != Discipline::Requests) return Error("the discipline moves no requests");
        if (balances(way_at<&DataflowChoices::balance_ways>(bench.options(), point)) &&
            count_nodes(bench.cores(point)) < 2)
            return Error("it needs cores on two nodes");
        return std::nullopt;
    },
    .run = &run_balanced,
    .print_what =
        [](TextSink& out, DataflowOptions const& options) {
            format(
                out,
                "{} requests of {} envelopes of {} rows and {} stages at once; one of {} envelopes and {} stages; the "
                "balancer looks every {} us",
                options.requests, options.envelopes, options.rows, options.stages, options.giant_envelopes,
                options.giant_stages, options.every);
        },
    .write =
        [](JsonWriter& json, DataflowOptions const& options, Point const& point) {
            BalanceWay const way = way_at<&DataflowChoices::balance_ways>(options, point);
            PlacedShape const shape = shape_of(options, way);
            write_fields(json, {{"requests", is_giant(way) ? 1 : options.requests},
                                {"envelopes", shape.envelopes},
                                {"rows", shape.rows},
                                {"stages", shape.stages},
                                {"work", shape.work},
                                {"every_us", options.every}});
        },
    .conclude = &conclude_ways};
constexpr auto balance_schema = dataflow_schema_with<balance_scenario>(
    console::option<&DataflowChoices::balance_ways>(
        "way", "one-node, balanced, chosen (and balanced): many requests; giant-alone, giant-shared: one (none given: "
               "all)"),
    console::option<&DataflowChoices::requests>("requests", "at once, of the many", console::between(1, 100'000)),
    console::option<&GraphShape::envelopes>("envelopes", "of one of the many", console::between(1, 1'000'000)),
    dataflow_option::rows,
    console::option<&GraphShape::stages>("stages", "of one of the many", console::between(1, 60)),
    dataflow_option::work,
    console::option<&DataflowChoices::giant_envelopes>("giant-envelopes", "of the request that is alone",
                                                       console::between(1, 10'000'000)),
    console::option<&DataflowChoices::giant_stages>("giant-stages", "of it, as many as may work at once",
                                                    console::between(1, 60)),
    console::option<&DataflowChoices::every>(
        "every", "us between two looks of the balancer at the nodes; the scheduler's default is 100000",
        console::between(10, 10'000'000)),
    dataflow_option::sleep_rule, dataflow_option::reruns_bound, dataflow_option::steals_first,
    dataflow_option::patience, dataflow_option::distances);
constexpr auto balance_benchmark = dataflow_benchmark<balance_scenario, balance_schema>();
MXK_REGISTER(mxk_commands, console::Command, balance_benchmark);

} // namespace
} // namespace mxk::bench
