// `bench dataflow place`: requests whose cores and memory are placed on nodes (B9): both on the same one, memory on the
// farthest one, as the scheduler and the heap place them, and with moves. What is remote is counted: tasks that ran on
// another node than their request's, bytes that lay on another node than the core that used them; after a move in four
// parts, so that it is seen how memory follows.
#include <algorithm>
#include <array>
#include <span>

#include "bench/dataflow/dataflow_experiment.hpp"
#include "bench/dataflow/nodes_of_cores.hpp"
#include "bench/dataflow/placed_boxes.hpp"

namespace mxk::bench {

enum class PlaceWay : std::uint8_t { FirstFirst, SecondSecond, FirstFar, Heap, Moved, Left };
constexpr auto value_names(PlaceWay) {
    using Named = console::NamedValue<PlaceWay>;
    return std::array{Named{PlaceWay::FirstFirst, "0/0"}, Named{PlaceWay::SecondSecond, "1/1"},
                      Named{PlaceWay::FirstFar, "0/far"}, Named{PlaceWay::Heap, "heap"},
                      Named{PlaceWay::Moved, "moved"},    Named{PlaceWay::Left, "left"}};
}

namespace {

struct PlaceOptions : DataflowOptions {
    NameSet<PlaceWay> ways{};
    std::uint32_t requests = 8;
    std::uint32_t envelopes = 128;
    std::uint32_t rows = 8192;
    std::uint32_t stages = 2;
    std::uint32_t work = 2;
    std::uint32_t table_kib = 512;
};

constexpr auto place_schema = console::schema<PlaceOptions>(
    dataflow_option::disciplines, core_set_option::cores,
    console::option<&PlaceOptions::ways>("way",
                                         "0/0, 1/1, 0/far: node of the cores / of the memory; heap: requests on all "
                                         "nodes, memory of their cores' heaps; moved: the same, and each moves to the "
                                         "next node; left: its table stays behind (none given: all)"),
    console::option<&PlaceOptions::requests>("requests", "at once", console::between(1, 100'000)),
    console::option<&PlaceOptions::envelopes>("envelopes", "of a request, which moves after a quarter of them",
                                              console::between(8, 1'000'000)),
    console::option<&PlaceOptions::rows>("rows", "of an envelope, 8 bytes each", console::between(1, 10'000'000)),
    console::option<&PlaceOptions::stages>("stages", "between the source and the look-up", console::between(1, 60)),
    console::option<&PlaceOptions::work>("work", "multiplications for each row in each stage",
                                         console::between(0, 10'000)),
    console::option<&PlaceOptions::table_kib>("table-kib", "of the table that each request's look-up keeps",
                                              console::between(1, 1'000'000)),
    dataflow_option::sleep_rule, dataflow_option::reruns_bound, dataflow_option::steals_first,
    dataflow_option::distances, dataflow_option::seed, run_option::repeat, run_option::warm_up, run_option::json);

constexpr std::array place_claims{
    Claim{.statement = "once a request has moved, its memory follows: of the last quarter 1 % is remote, or less",
          .bound = Bound::up_to(1),
          .left = {.of = "requests", .finding = "after_4_pct"}},
};

constexpr DataflowPlan place_plan{.name = "dataflow place", .unit = Unit::OperationsPerSecond, .claims = place_claims};

class PlaceBench final : public DataflowBench<PlaceOptions, place_plan> {
  public:
    using DataflowBench::DataflowBench;

  private:
    void add_axes() override {
        options_.ways = or_all(options_.ways);
        add(Axis::chosen("way", 6, options_.ways));
    }
    [[nodiscard]] PlaceWay way_at(Point const& point) const { return chosen_at(options_.ways, point[first_axis]); }
    [[nodiscard]] bool is_judged(Claim const& /*claim*/, Point const& point) const override {
        return way_at(point) == PlaceWay::Moved;
    }
    [[nodiscard]] std::optional<Error> cannot_run(Discipline discipline, Point const& point) const override {
        PlaceWay const way = way_at(point);
        if (!has_nodes(discipline) && way != PlaceWay::Heap) return Error("the discipline places nothing on nodes");
        if (moves(way) && discipline != Discipline::Requests) return Error("the discipline moves no requests");
        if ((moves(way) || way == PlaceWay::SecondSecond) && count_nodes(cores(point)) < 2)
            return Error("it needs cores on two nodes");
        if (std::ranges::any_of(cores(point), [](CoreId core) {
                return system_topology().nodes[index(system_topology().cores[index(core)].node)].memory.empty();
            }))
            return Error("it needs memory on each node of its cores");
        if (way == PlaceWay::FirstFar && nodes_with_memory() < 2) return Error("it needs memory on two nodes");
        return std::nullopt;
    }

    Result<void> run_flow(DataflowRun const& run) override {
        PlaceWay const way = way_at(run.point);
        dataflow::SchedulerOptions scheduler_options = run.scheduler;
        scheduler_options.balances = false; // moves are the benchmark's
        auto const scheduler = MXK_TRY(dataflow::Scheduler::create(run.cores, scheduler_options));
        PlacedShape const shape = shape_of(way, *scheduler);
        dataflow::Model model;
        MXK_TRY(make_placed_pipe(model, shape));
        Ends ends(options_.requests);
        auto queries = MXK_TRY(make_requests<PlacedQuery>(options_.requests, ends, model, shape));
        std::size_t const nodes = scheduler->nodes().size();
        for (std::size_t i = 0; i < options_.requests; ++i)
            queries[i].move_to = &scheduler->nodes()[(first_node(way, i, nodes) + 1) % nodes];
        Cycles const start = clock::timestamp();
        for (std::size_t i = 0; i < options_.requests; ++i)
            scheduler->submit_to(static_cast<std::uint16_t>(first_node(way, i, nodes)), queries[i]);
        MXK_TRY(ends.wait(run.progress, [&] {
            for (PlacedQuery& query : queries) query.cancel();
        }));
        Cycles const end = clock::timestamp();
        PlacedUse use;
        bool const is_right =
            MXK_TRY(are_all_right(queries, [](PlacedQuery const& query) { return query.is_right(); }));
        for (PlacedQuery const& query : queries) use.add(query.use);
        Sample& sample = run.sample;
        sample.operations = options_.requests * shape.all_rows();
        sample.value = static_cast<double>(sample.operations) / seconds_of(end - start);
        sample.verified = is_right && is_placed(run.scheduler.discipline, shape, *scheduler, use);
        add_findings(sample.findings, way, use);
        return {};
    }

    void print_what(TextSink& out) const override {
        format(out, "{} requests of {} envelopes of {} rows through {} stages and a look-up in a table of {} KiB",
               options_.requests, options_.envelopes, options_.rows, options_.stages, options_.table_kib);
    }
    void write_options(JsonWriter& json, Point const& /*point*/) const override {
        write_fields(json, {{"requests", options_.requests},
                            {"envelopes", options_.envelopes},
                            {"rows", options_.rows},
                            {"stages", options_.stages},
                            {"work", options_.work},
                            {"table_kib", options_.table_kib}});
    }

    static bool has_nodes(Discipline discipline) {
        return discipline != Discipline::Original && discipline != Discipline::CoreFifo;
    }
    static bool moves(PlaceWay way) { return way == PlaceWay::Moved || way == PlaceWay::Left; }
    static std::size_t nodes_with_memory() {
        auto const nodes = system_topology().nodes;
        return static_cast<std::size_t>(
            std::ranges::count_if(nodes, [](topology::Node const& node) { return !node.memory.empty(); }));
    }
    // Which of the scheduler's nodes the request begins on.
    static std::size_t first_node(PlaceWay way, std::size_t request, std::size_t nodes) {
        if (way == PlaceWay::Heap || moves(way)) return request % nodes;
        return way == PlaceWay::SecondSecond ? 1 : 0;
    }
    // With memory, as far as there is from the cores of the scheduler's first node.
    static NodeId farthest_node(dataflow::Scheduler const& scheduler) {
        NodeId const from = scheduler.node(0).node();
        NodeId farthest = from;
        for (topology::Node const& node : system_topology().nodes) {
            if (node.memory.empty() || node.id == from) continue;
            if (farthest == from || scheduler.distance(from, node.id) > scheduler.distance(from, farthest))
                farthest = node.id;
        }
        return farthest;
    }
    [[nodiscard]] PlacedShape shape_of(PlaceWay way, dataflow::Scheduler const& scheduler) const {
        PlacedShape shape{.envelopes = options_.envelopes,
                          .rows = options_.rows,
                          .stages = options_.stages,
                          .work = options_.work,
                          .table_rows = options_.table_kib * KiB / sizeof(std::uint64_t),
                          .move_after = moves(way) ? options_.envelopes / 4 : 0,
                          .table_follows = way == PlaceWay::Moved};
        if (way == PlaceWay::FirstFirst) shape.memory = scheduler.node(0).node();
        if (way == PlaceWay::SecondSecond) shape.memory = scheduler.node(1).node();
        if (way == PlaceWay::FirstFar) shape.memory = farthest_node(scheduler);
        return shape;
    }
    // What has to be so wherever requests stay: no task elsewhere, no byte elsewhere but where it was put there. And in
    // any case the heap gives a core memory of its own node.
    static bool is_placed(Discipline discipline, PlacedShape const& shape, dataflow::Scheduler const& scheduler,
                          PlacedUse const& use) {
        if (use.made.remote != 0) return false;
        if (!has_nodes(discipline) || shape.moves()) return true;
        bool const is_far = shape.memory == farthest_node(scheduler) && use.all_bytes().remote != 0;
        return use.tasks.remote == 0 && use.graph.remote == 0 && (is_far || use.all_bytes().remote == 0);
    }
    static void add_findings(Findings& findings, PlaceWay way, PlacedUse const& use) {
        findings.add("remote_tasks_pct", use.tasks.percent());
        findings.add("remote_bytes_pct", use.all_bytes().percent());
        findings.add("remote_boxes_pct", use.graph.percent());
        findings.add("made_remote_pct", use.made.percent());
        if (!moves(way)) return;
        constexpr std::array<std::string_view, PlacedUse::phases> names{"before_pct", "after_1_pct", "after_2_pct",
                                                                        "after_3_pct", "after_4_pct"};
        for (std::size_t phase = 0; phase < names.size(); ++phase)
            findings.add(names[phase], use.bytes[phase].percent());
    }
};
constexpr auto place_benchmark = grid_benchmark<PlaceBench, place_schema>(
    {.summary = "requests and their memory on one node or two: time, remote tasks, remote memory, what follows a move",
     .notes = "after_1_pct to after_4_pct: of the bytes used after a move, in four parts of the envelopes, the remote "
              "ones.\n"
              "Example: bench dataflow place --cores up-to:16 --way heap,moved,left\n",
     .parent = "bench dataflow"});
MXK_REGISTER(mxk_commands, console::Command, place_benchmark);

} // namespace
} // namespace mxk::bench
