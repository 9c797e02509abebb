// `bench dataflow place`: requests whose cores and memory are placed on nodes (B9): both on the same one, memory on the
// farthest one, as the scheduler and the heap place them, and with moves. What is remote is counted: tasks that ran on
// another node than their request's, bytes that lay on another node than the core that used them; after a move in four
// parts, so that it is seen how memory follows.
#include <algorithm>
#include <array>
#include <span>

#include "bench/dataflow/dataflow_experiment.hpp"
#include "bench/dataflow/placed_boxes.hpp"
#include "kernel/topology/system_topology.hpp"

namespace mxk::bench {
namespace {

constexpr std::array place_claims{
    Claim{.statement = "once a request has moved, its memory follows: of the last quarter 1 % is remote, or less",
          .bound = Bound::up_to(1),
          .left = {.of = "requests", .finding = "after_4_pct"}},
};

bool moves(PlaceWay way) {
    return way == PlaceWay::Moved || way == PlaceWay::Left;
}
std::size_t nodes_with_memory() {
    auto const nodes = system_topology().nodes;
    return static_cast<std::size_t>(
        std::ranges::count_if(nodes, [](topology::Node const& node) { return !node.memory.empty(); }));
}
// Which of the scheduler's nodes the request begins on.
std::size_t first_node(PlaceWay way, std::size_t request, std::size_t nodes) {
    if (way == PlaceWay::Heap || moves(way)) return request % nodes;
    return way == PlaceWay::SecondSecond ? 1 : 0;
}
// With memory, as far as there is from the cores of the scheduler's first node.
NodeId farthest_node(dataflow::Scheduler const& scheduler) {
    NodeId const from = scheduler.node(0).node();
    NodeId farthest = from;
    for (topology::Node const& node : system_topology().nodes) {
        if (node.memory.empty() || node.id == from) continue;
        if (farthest == from || scheduler.distance(from, node.id) > scheduler.distance(from, farthest))
            farthest = node.id;
    }
    return farthest;
}
PlacedShape shape_of(DataflowOptions const& options, PlaceWay way, dataflow::Scheduler const& scheduler) {
    PlacedShape shape{options};
    shape.table_rows = options.table_kib * KiB / sizeof(std::uint64_t);
    shape.move_after = moves(way) ? options.envelopes / 4 : 0;
    shape.table_follows = way == PlaceWay::Moved;
    if (way == PlaceWay::FirstFirst) shape.memory = scheduler.node(0).node();
    if (way == PlaceWay::SecondSecond) shape.memory = scheduler.node(1).node();
    if (way == PlaceWay::FirstFar) shape.memory = farthest_node(scheduler);
    return shape;
}
// What has to be so wherever requests stay: no task elsewhere, no byte elsewhere but where it was put there. And in
// any case the heap gives a core memory of its own node.
bool is_placed(Discipline discipline, PlacedShape const& shape, dataflow::Scheduler const& scheduler,
               PlacedUse const& use) {
    if (use.made.remote != 0) return false;
    if (!is_of_thesis(discipline) || shape.moves()) return true;
    bool const is_far = shape.memory == farthest_node(scheduler) && use.all_bytes().remote != 0;
    return use.tasks.remote == 0 && use.graph.remote == 0 && (is_far || use.all_bytes().remote == 0);
}
void add_findings(Findings& findings, PlaceWay way, PlacedUse const& use) {
    findings.add("remote_tasks_pct", use.tasks.percent());
    findings.add("remote_bytes_pct", use.all_bytes().percent());
    findings.add("remote_boxes_pct", use.graph.percent());
    findings.add("made_remote_pct", use.made.percent());
    if (!moves(way)) return;
    constexpr std::array<std::string_view, PlacedUse::phases> names{"before_pct", "after_1_pct", "after_2_pct",
                                                                    "after_3_pct", "after_4_pct"};
    for (std::size_t phase = 0; phase < names.size(); ++phase) findings.add(names[phase], use.bytes[phase].percent());
}

Result<void> run_placed(DataflowRun const& run) {
    PlaceWay const way = way_at<&DataflowChoices::place_ways>(run.options, run.point);
    dataflow::SchedulerOptions scheduler_options = run.scheduler;
    scheduler_options.balances = false; // moves are the benchmark's
    auto const scheduler = MXK_TRY(dataflow::Scheduler::create(run.cores, scheduler_options));
    PlacedShape const shape = shape_of(run.options, way, *scheduler);
    dataflow::Model model;
    MXK_TRY(make_placed_pipe(model, shape));
    auto queries = MXK_TRY(make_requests<PlacedQuery>(run.options.requests, model, shape));
    std::size_t const nodes = scheduler->nodes().size();
    for (std::size_t i = 0; i < run.options.requests; ++i)
        queries[i].move_to = &scheduler->nodes()[(first_node(way, i, nodes) + 1) % nodes];
    Cycles const start = clock::timestamp();
    for (std::size_t i = 0; i < run.options.requests; ++i)
        scheduler->submit_to(static_cast<std::uint16_t>(first_node(way, i, nodes)), queries[i]);
    MXK_TRY(wait_for_all(queries, run.progress));
    Cycles const end = clock::timestamp();
    PlacedUse use;
    bool const is_right = MXK_TRY(are_all_right(queries, [](PlacedQuery const& query) { return query.is_right(); }));
    for (PlacedQuery const& query : queries) use.add(query.use);
    Sample& sample = run.sample;
    sample.operations = run.options.requests * shape.all_rows();
    sample.value = static_cast<double>(sample.operations) / seconds_of(end - start);
    sample.verified = is_right && is_placed(run.scheduler.discipline, shape, *scheduler, use);
    add_findings(sample.findings, way, use);
    return {};
}

constexpr DataflowScenario place_scenario{
    .name = "dataflow place",
    .summary = "requests and their memory on one node or two: time, remote tasks, remote memory, what follows a move",
    .notes = "after_1_pct to after_4_pct: of the bytes used after a move, in four parts of the envelopes, the remote "
             "ones.\n"
             "Example: bench dataflow place --cores up-to:16 --way heap,moved,left\n",
    .unit = Unit::OperationsPerSecond,
    .claims = place_claims,
    .shape = {.envelopes = 128, .rows = 8192, .stages = 2, .work = 2},
    .choices = {.requests = 8, .table_kib = 512},
    .ways = &all_ways<&DataflowChoices::place_ways, 6>,
    .is_judged =
        [](DataflowExperiment const& bench, Point const& point) {
            return way_at<&DataflowChoices::place_ways>(bench.options(), point) == PlaceWay::Moved;
        },
    .cannot_run = [](DataflowExperiment const& bench, Discipline discipline,
                     Point const& point) -> std::optional<Error> {
        PlaceWay const way = way_at<&DataflowChoices::place_ways>(bench.options(), point);
        if (!is_of_thesis(discipline) && way != PlaceWay::Heap) return Error("the discipline places nothing on nodes");
        if (moves(way) && discipline != Discipline::Requests) return Error("the discipline moves no requests");
        if ((moves(way) || way == PlaceWay::SecondSecond) && count_nodes(bench.cores(point)) < 2)
            return Error("it needs cores on two nodes");
        if (std::ranges::any_of(bench.cores(point), [](CoreId core) {
                return system_topology().nodes[index(system_topology().cores[index(core)].node)].memory.empty();
            }))
            return Error("it needs memory on each node of its cores");
        if (way == PlaceWay::FirstFar && nodes_with_memory() < 2) return Error("it needs memory on two nodes");
        return std::nullopt;
    },
    .run = &run_placed,
    .print_what =
        [](TextSink& out, DataflowOptions const& options) {
            format(out, "{} requests of {} envelopes of {} rows through {} stages and a look-up in a table of {} KiB",
                   options.requests, options.envelopes, options.rows, options.stages, options.table_kib);
        },
    .fields = {"requests", "envelopes", "rows", "stages", "work", "table_kib"}};
constexpr auto place_schema = dataflow_schema_with<place_scenario>(
    console::option<&DataflowChoices::place_ways>(
        "way", "0/0, 1/1, 0/far: node of the cores / of the memory; heap: requests on all "
               "nodes, memory of their cores' heaps; moved: the same, and each moves to the "
               "next node; left: its table stays behind (none given: all)"),
    console::option<&DataflowChoices::requests>("requests", "at once", console::between(1, 100'000)),
    console::option<&GraphShape::envelopes>("envelopes", "of a request, which moves after a quarter of them",
                                            console::between(8, 1'000'000)),
    dataflow_option::rows,
    console::option<&GraphShape::stages>("stages", "between the source and the look-up", console::between(1, 60)),
    dataflow_option::work,
    console::option<&DataflowChoices::table_kib>("table-kib", "of the table that each request's look-up keeps",
                                                 console::between(1, 1'000'000)),
    dataflow_option::sleep_rule, dataflow_option::reruns_bound, dataflow_option::steals_first,
    dataflow_option::distances);
constexpr auto place_benchmark = dataflow_benchmark<place_scenario, place_schema>();
MXK_REGISTER(mxk_commands, console::Command, place_benchmark);

} // namespace
} // namespace mxk::bench
