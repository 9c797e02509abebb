// `bench dataflow balance`: many requests at once, all to one node, with balancing, and to nodes that are chosen; and
// one request that is too much for a node, alone there and shared (B11, and the thesis' figure 6.2). How many moves and
// shares it takes, how much each node has to do, and whether a request comes back to where it was.
#include <algorithm>
#include <array>
#include <span>

#include "bench/dataflow/dataflow_experiment.hpp"
#include "bench/dataflow/nodes_of_cores.hpp"
#include "bench/dataflow/placed_boxes.hpp"

namespace mxk::bench {

enum class BalanceWay : std::uint8_t { OneNode, Balanced, Chosen, GiantAlone, GiantShared };
constexpr auto value_names(BalanceWay) {
    using Named = console::NamedValue<BalanceWay>;
    return std::array{Named{BalanceWay::OneNode, "one-node"}, Named{BalanceWay::Balanced, "balanced"},
                      Named{BalanceWay::Chosen, "chosen"}, Named{BalanceWay::GiantAlone, "giant-alone"},
                      Named{BalanceWay::GiantShared, "giant-shared"}};
}

namespace {

struct BalanceOptions : DataflowOptions {
    NameSet<BalanceWay> ways{};
    std::uint32_t requests = 200;
    std::uint32_t envelopes = 64;
    std::uint32_t rows = 4096;
    std::uint32_t stages = 2;
    std::uint32_t work = 20;
    std::uint32_t giant_envelopes = 1024;
    std::uint32_t giant_stages = 16;
    std::uint32_t every = 10'000;
};

constexpr auto balance_schema = console::schema<BalanceOptions>(
    dataflow_option::disciplines, core_set_option::cores,
    console::option<&BalanceOptions::ways>(
        "way", "one-node, balanced, chosen (and balanced): many requests; giant-alone, giant-shared: one (none given: "
               "all)"),
    console::option<&BalanceOptions::requests>("requests", "at once, of the many", console::between(1, 100'000)),
    console::option<&BalanceOptions::envelopes>("envelopes", "of one of the many", console::between(1, 1'000'000)),
    console::option<&BalanceOptions::rows>("rows", "of an envelope, 8 bytes each", console::between(1, 10'000'000)),
    console::option<&BalanceOptions::stages>("stages", "of one of the many", console::between(1, 60)),
    console::option<&BalanceOptions::work>("work", "multiplications for each row in each stage",
                                           console::between(0, 10'000)),
    console::option<&BalanceOptions::giant_envelopes>("giant-envelopes", "of the request that is alone",
                                                      console::between(1, 10'000'000)),
    console::option<&BalanceOptions::giant_stages>("giant-stages", "of it, as many as may work at once",
                                                   console::between(1, 60)),
    console::option<&BalanceOptions::every>(
        "every", "us between two looks of the balancer at the nodes; the scheduler's default is 100000",
        console::between(10, 10'000'000)),
    dataflow_option::sleep_rule, dataflow_option::reruns_bound, dataflow_option::steals_first,
    dataflow_option::patience, dataflow_option::distances, dataflow_option::seed, run_option::repeat,
    run_option::warm_up, run_option::json);

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

constexpr DataflowPlan balance_plan{.name = "dataflow balance", .claims = balance_claims};

class BalanceBench final : public DataflowBench<BalanceOptions, balance_plan> {
  public:
    using DataflowBench::DataflowBench;

  private:
    void add_axes() override {
        options_.ways = or_all(options_.ways);
        add(Axis::chosen("way", 12, options_.ways));
    }
    [[nodiscard]] BalanceWay way_at(Point const& point) const { return chosen_at(options_.ways, point[first_axis]); }
    [[nodiscard]] bool is_judged(Claim const& /*claim*/, Point const& point) const override {
        return balances(way_at(point));
    }
    [[nodiscard]] std::optional<Error> cannot_run(Discipline discipline, Point const& point) const override {
        if (discipline != Discipline::Requests) return Error("the discipline moves no requests");
        if (balances(way_at(point)) && count_nodes(cores(point)) < 2) return Error("it needs cores on two nodes");
        return std::nullopt;
    }

    Result<void> run_flow(DataflowRun const& run) override {
        BalanceWay const way = way_at(run.point);
        dataflow::SchedulerOptions scheduler_options = run.scheduler;
        scheduler_options.chooses_node = way == BalanceWay::Chosen;
        scheduler_options.balances = balances(way);
        scheduler_options.balance_every = Nanoseconds{std::uint64_t{options_.every} * 1000};
        auto const scheduler = MXK_TRY(dataflow::Scheduler::create(run.cores, scheduler_options));
        PlacedShape const shape = shape_of(way);
        dataflow::Model model;
        MXK_TRY(make_placed_pipe(model, shape));
        std::size_t const count = is_giant(way) ? 1 : options_.requests;
        Ends ends(count);
        auto queries = MXK_TRY(make_requests<PlacedQuery>(count, ends, model, shape));
        NodeLoads loads;
        Cycles const start = clock::timestamp();
        for (PlacedQuery& query : queries) scheduler->submit(query);
        // Looks at the nodes now and then; its core works meanwhile, or sleeps.
        MXK_TRY(wait_and_look(ends, queries, run.progress, Nanoseconds{1'000'000},
                              [&] { loads.look(*scheduler, count - ends.missing(), count); }));
        Cycles const end = clock::timestamp();
        unsigned returns = 0;
        bool const is_right =
            MXK_TRY(are_all_right(queries, [](PlacedQuery const& query) { return query.is_right(); }));
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

    void print_what(TextSink& out) const override {
        format(out,
               "{} requests of {} envelopes of {} rows and {} stages at once; one of {} envelopes and {} stages; the "
               "balancer looks every {} us",
               options_.requests, options_.envelopes, options_.rows, options_.stages, options_.giant_envelopes,
               options_.giant_stages, options_.every);
    }
    void write_options(JsonWriter& json, Point const& point) const override {
        PlacedShape const shape = shape_of(way_at(point));
        write_fields(json, {{"requests", is_giant(way_at(point)) ? 1 : options_.requests},
                            {"envelopes", shape.envelopes},
                            {"rows", shape.rows},
                            {"stages", shape.stages},
                            {"work", shape.work},
                            {"every_us", options_.every}});
    }
    // What balancing, the choice of nodes, and sharing bring.
    void conclude_points(TextSink& out, std::span<Row const> rows) const override {
        constexpr std::array<std::array<BalanceWay, 2>, 3> pairs{{{BalanceWay::Balanced, BalanceWay::OneNode},
                                                                  {BalanceWay::Chosen, BalanceWay::Balanced},
                                                                  {BalanceWay::GiantShared, BalanceWay::GiantAlone}}};
        auto const row_of = [&](BalanceWay way) -> Row const* {
            auto const found = std::ranges::find_if(rows, [&](Row const& row) { return way_at(point_of(row)) == way; });
            return found != rows.end() ? &*found : nullptr;
        };
        for (auto const& [better, worse] : pairs)
            print_ratio(out, name_of(better), row_of(better), name_of(worse), row_of(worse));
    }

    static bool is_giant(BalanceWay way) { return way == BalanceWay::GiantAlone || way == BalanceWay::GiantShared; }
    static bool balances(BalanceWay way) { return way != BalanceWay::OneNode && way != BalanceWay::GiantAlone; }

    [[nodiscard]] PlacedShape shape_of(BalanceWay way) const {
        return {.envelopes = is_giant(way) ? options_.giant_envelopes : options_.envelopes,
                .rows = options_.rows,
                .stages = is_giant(way) ? options_.giant_stages : options_.stages,
                .work = options_.work};
    }
    // Of all tasks, those that ran on the first node.
    static double first_tasks_percent(dataflow::Scheduler const& scheduler) {
        std::uint64_t first = 0;
        std::uint64_t all = 0;
        for (std::size_t place = 0; place < scheduler.cores(); ++place) {
            std::uint64_t const tasks = scheduler.at(place).counts().tasks();
            all += tasks;
            if (scheduler.at(place).node_place() == 0) first += tasks;
        }
        return all == 0 ? 0 : 100 * static_cast<double>(first) / static_cast<double>(all);
    }
};
constexpr auto balance_benchmark = benchmark<BalanceBench, balance_schema>(
    {.summary = "many requests at once on nodes that balance or not; one that is shared: time, moves, loads",
     .notes = "first_load_1_pct to first_load_4_pct: cores of the first node that were awake, in four parts by the "
              "requests that have ended; others_load: of the other nodes.\n"
              "Example: bench dataflow balance --cores up-to:16 --repeat 3\n",
     .parent = "bench dataflow"});
MXK_REGISTER(mxk_commands, console::Command, balance_benchmark);

} // namespace
} // namespace mxk::bench
