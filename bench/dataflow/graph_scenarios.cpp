// The benchmarks of requests that are graphs, each a scenario (dataflow_experiment.hpp):
// - pipe: a source, some stages and a sink, one of which may be slow, with buffers of any capacity (B1).
// - fork: a request that forks into branches and joins them, one of which is longer (B2). A scheduler whose cores
// cannot
//   take each other's bound tasks leaves them idle here.
// - flood: many equal requests at once (B3). A scheduler that begins them all needs memory for all; one that begins a
//   request when nothing else is to be done needs as much as its cores do. What is left afterwards has to be nothing.
// - stagger: requests that come faster than they can be served (B4). How long each takes, from the moment when it
// comes,
//   says whether newcomers take the cores from those that have begun: then the first take longer than one alone.
// - mix: requests with all that matters to a scheduler (B5, and the thesis' figures 10.1 to 10.4): a fork and its join,
//   a pipe, a sort. With --others-heap, memory of the disciplines that `requests` is compared with comes from a
//   general-purpose allocator, as in the thesis, which compares schedulers with their allocators.
// - sweep: a pipe by the bytes of an envelope (B6, and the thesis' figures 5.1 and 5.2). What is recommended
//   (tasks/dataflow/graph/envelope_size.hpp) is among the sizes, with a mark.
// - sort: a box that sorts (B17, and the thesis' figure 9.1): as rows come, when all have come, or by tasks.
#include <algorithm>
#include <array>

#include "bench/dataflow/graph_runs.hpp"
#include "tasks/dataflow/graph/edge.hpp"
#include "tasks/dataflow/graph/envelope_size.hpp"

namespace mxk::bench {
namespace {

using console::between;
using console::option;

constexpr std::string_view recommended_rows = "of an envelope, 8 bytes each; 0: the recommended number";
constexpr auto rows_or_recommended_option = option<&GraphShape::rows>("rows", recommended_rows, between(0, 10'000'000));
constexpr auto stages_option = option<&GraphShape::stages>("stages", "between the source and the sink", between(1, 60));
constexpr auto capacity_option = option<&GraphShape::capacity>("capacity", "envelopes that wait at an input",
                                                               between(1, dataflow::Edge::max_capacity));
constexpr auto plans_option = option<&DataflowChoices::plans>("requests", "PxQ: P times Q requests, up to Q at a time");
constexpr auto all_rows_option =
    option<&DataflowChoices::min_rows>("all-rows", "of a request, or somewhat more", between(1, 1'000'000'000));

constexpr std::array pipe_claims{
    Claim{.statement = "twice as much as oneTBB's flow graph with the smallest envelopes",
          .bound = Bound::from(2),
          .left = {.of = "requests"},
          .right = {.of = "tbb-flow-graph"},
          .on = Claim::On::LastSet,
          .takes_others = true},
};
constexpr DataflowScenario pipe_scenario{
    .name = "dataflow pipe",
    .summary = "rows per second through a pipe of boxes",
    .notes = "Example: bench dataflow pipe --cores 1,2 --rows 16,0 --slow 4 --capacity 1\n",
    .unit = Unit::OperationsPerSecond,
    .has_peers = true,
    .claims = pipe_claims,
    .shape = {.envelopes = 0, .stages = 3, .work = 4},
    .choices = {.list = {16, 0}},
    .list = DataflowScenario::List::Rows,
    .is_judged = [](DataflowExperiment const& bench,
                    Point const& point) { return bench.value_at(point) == std::ranges::min(bench.values()); },
    .run = &run_alone,
    .print_what =
        [](TextSink& out, DataflowOptions const& options) {
            format(out, "{} stages of {} multiplications, one of {}; up to {} envelopes wait at an input",
                   options.stages, options.work, options.work * options.slow, options.capacity);
        },
    .fields = {"envelopes", "stages", "work", "slow", "capacity"}};
constexpr auto pipe_schema = dataflow_schema<pipe_scenario>(
    stages_option, option<&DataflowChoices::list>("rows", recommended_rows, between(0, 10'000'000)),
    option<&GraphShape::envelopes>("envelopes", "0: as many as make 20 million rows, 500 to 100 thousand",
                                   between(0, 100'000'000)),
    dataflow_option::work,
    option<&GraphShape::slow>("slow", "how many times that in the stage in the middle", between(1, 1000)),
    capacity_option, dataflow_option::no_peers);
constexpr auto pipe_benchmark = dataflow_benchmark<pipe_scenario, pipe_schema>();
MXK_REGISTER(mxk_commands, console::Command, pipe_benchmark);

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
constexpr DataflowScenario fork_scenario{
    .name = "dataflow fork",
    .summary = "the time of a fork into branches and their join, by the ideal",
    .notes = "branch_changes: how often another branch's stage ran than before, for each envelope; on one "
             "core a\nscheduler that runs depth-first changes as often as there are branches.\n"
             "Example: bench dataflow fork --cores 2 --discipline requests,original --envelopes 1\n",
    .disciplines = all_disciplines,
    .has_peers = true,
    .claims = fork_claims,
    .shape = {.rows = 0, .branches = 4, .stages = 3, .work = 4, .slow = 3},
    .choices = {.list = {1, 16}, .requests = 5},
    .list = DataflowScenario::List::Envelopes,
    .run = &run_in_turn,
    .print_what =
        [](TextSink& out, DataflowOptions const& options) {
            format(out, "{} branches of {} stages of {} multiplications, the first one's {}; envelopes of {} rows",
                   options.branches, options.stages, options.work, options.work * options.slow, options.rows);
        },
    .fields = {"rows", "width", "depth", "work", "slow", "capacity"}};
constexpr auto fork_schema = dataflow_schema<fork_scenario>(
    option<&GraphShape::branches>("width", "branches of the fork", between(2, 60)),
    option<&GraphShape::stages>("depth", "stages of a branch", between(1, 60)),
    option<&GraphShape::slow>("slow", "how much longer the first branch's stages take", between(1, 1000)),
    option<&DataflowChoices::list>("envelopes", "of a request", between(1, 1'000'000)), rows_or_recommended_option,
    dataflow_option::work, capacity_option,
    option<&DataflowChoices::requests>("requests", "one after the other", between(1, 100'000)),
    dataflow_option::no_peers);
constexpr auto fork_benchmark = dataflow_benchmark<fork_scenario, fork_schema>();
MXK_REGISTER(mxk_commands, console::Command, fork_benchmark);

constexpr std::array flood_claims{
    Claim{.statement = "as many requests are active as there are cores, or fewer",
          .bound = Bound::up_to(1),
          .left = {.of = "requests", .finding = "active_by_cores"}},
    Claim{.statement = "nothing is left in memory",
          .bound = Bound::exactly(0),
          .left = {.of = "requests", .finding = "leaked_bytes"}},
};
constexpr DataflowScenario flood_scenario{
    .name = "dataflow flood",
    .summary = "many requests at once: time, how many are active, memory, what is left",
    .notes = "peak_kib is looked at every half a millisecond: short runs may have more.\n"
             "Example: bench dataflow flood --requests 10,100,1000 --cores 1,2 --discipline "
             "requests,one-fifo\n",
    .disciplines = all_disciplines,
    .claims = flood_claims,
    .shape = {.envelopes = 8, .rows = 1024, .stages = 2, .work = 4},
    .choices = {.list = {10, 100, 1000}},
    .list = DataflowScenario::List::Requests,
    .tail = DataflowScenario::Tail::CollectedSort, // holds memory until its end
    .run = &run_flood,
    .print_what =
        [](TextSink& out, DataflowOptions const& options) {
            format(out, "requests of {} envelopes of {} rows, which are sorted", options.envelopes, options.rows);
        },
    .fields = {"envelopes", "rows", "work"}};
constexpr auto flood_schema =
    dataflow_schema<flood_scenario>(option<&DataflowChoices::list>("requests", "at once", between(1, 1'000'000)),
                                    dataflow_option::envelopes, dataflow_option::rows, dataflow_option::work);
constexpr auto flood_benchmark = dataflow_benchmark<flood_scenario, flood_schema>();
MXK_REGISTER(mxk_commands, console::Command, flood_benchmark);

// Of five requests that come every half of the time that one takes, the third waits for as long as one takes alone.
constexpr std::array stagger_claims{
    Claim{.statement = "the first requests take no longer than 2.5 times what one takes alone",
          .bound = Bound::up_to(2.5),
          .left = {.of = "requests", .finding = "first_by_alone"}},
};
constexpr DataflowScenario stagger_scenario{
    .name = "dataflow stagger",
    .summary = "how long requests take that come faster than they are served",
    .notes = "first_us, last_us: of the first and the last tenth, from the moment when they come.\n"
             "Example: bench dataflow stagger --cores 1,2 --discipline requests,one-lifo\n",
    .disciplines = {Discipline::Requests, Discipline::OneFifo, Discipline::OneLifo, Discipline::Original},
    .claims = stagger_claims,
    .shape = {.envelopes = 32, .rows = 4096, .stages = 2, .work = 10},
    .choices = {.requests = 50, .interval = 50},
    .run = &run_staggered,
    .print_what =
        [](TextSink& out, DataflowOptions const& options) {
            format(out, "{} requests, one every {} % of what one takes alone", options.requests, options.interval);
        },
    .fields = {"requests", "interval_pct", "envelopes", "rows", "work"}};
constexpr auto stagger_schema = dataflow_schema<stagger_scenario>(
    option<&DataflowChoices::requests>("requests", "that come one after the other", between(10, 100'000)),
    option<&DataflowChoices::interval>("interval", "between two of them, in per cent of what the cores take for one",
                                       between(1, 1000)),
    dataflow_option::envelopes, dataflow_option::rows, dataflow_option::work);
constexpr auto stagger_benchmark = dataflow_benchmark<stagger_scenario, stagger_schema>();
MXK_REGISTER(mxk_commands, console::Command, stagger_benchmark);

constexpr std::array mix_claims{
    Claim{.statement = "1.06 times as much as the original scheduler, or more",
          .bound = Bound::from(1.06),
          .left = {.of = "requests"},
          .right = {.of = "original"},
          .on = Claim::On::LastSet,
          .takes_others = true},
};
constexpr DataflowScenario mix_scenario{
    .name = "dataflow mix",
    .summary = "rows per second of requests: graphs with a fork, a pipe and a sort, several at a time",
    .notes = "Example: bench dataflow mix --requests 16x4 --cores 2 --discipline requests,original\n",
    .unit = Unit::OperationsPerSecond,
    .disciplines = {Discipline::Requests, Discipline::Original, Discipline::CoreFifo},
    .claims = mix_claims,
    .shape = {.envelopes = 16, .rows = 4096, .branches = 4, .stages = 2, .work = 4},
    .choices = {.plans = {{16, 1}, {8, 2}, {4, 4}}},
    .is_judged = [](DataflowExperiment const& bench,
                    Point const& point) { return bench.plan_at(point).at_once == bench.options().plans.max_at_once(); },
    .tail = DataflowScenario::Tail::PipeAndSort,
    .run = &run_mixed,
    .print_what =
        [](TextSink& out, DataflowOptions const& options) {
            format(out, "requests of {} envelopes of {} rows: {} branches of {} stages, a pipe of {}, a sort",
                   options.envelopes, options.rows, options.branches, options.stages, options.stages);
        },
    .fields = {"rows", "envelopes", "branches", "stages", "work", "capacity", "others_heap"}};
constexpr auto mix_schema = dataflow_schema<mix_scenario>(
    plans_option, rows_or_recommended_option, dataflow_option::envelopes,
    option<&GraphShape::branches>("branches", "of the fork", between(2, 60)),
    option<&GraphShape::stages>("stages", "of a branch, and of the pipe", between(1, 16)),
    option<&GraphShape::work>("work", dataflow_option::work.meaning, between(1, 10'000)), capacity_option,
    option<&DataflowChoices::others_heap>(
        "others-heap", "an allocator of `bench heap`, for all disciplines but requests (none given: ours)"),
    dataflow_option::busy_wait, dataflow_option::sleep_time, dataflow_option::locked_scan);
constexpr auto mix_benchmark = dataflow_benchmark<mix_scenario, mix_schema>();
MXK_REGISTER(mxk_commands, console::Command, mix_benchmark);

constexpr DataflowScenario sweep_scenario{
    .name = "dataflow sweep",
    .summary = "rows per second through a pipe, by the size of envelopes",
    .notes = "Example: bench dataflow sweep --cores 2 --kib 5,10,20,50,100,200,400,800,1600,4000\n",
    .unit = Unit::OperationsPerSecond,
    .shape = {.stages = 3, .work = 4},
    .choices = {.list = {5, 10, 20, 50, 100, 400, 800, 1600, 4000}, .requests = 4, .min_rows = 2'000'000},
    .list = DataflowScenario::List::Kibibytes,
    .ways = &all_ways<&DataflowChoices::sweep_ways, 11>,
    .run = &run_streamed,
    .print_what =
        [](TextSink& out, DataflowOptions const& options) {
            format(out, "a pipe of {} stages; {} rows in a request; recommended (*): {} KiB in an envelope",
                   options.stages, options.min_rows, dataflow::recommended_bytes() / KiB);
        },
    .fields = {"recommended", "rows", "envelopes", "stages", "work", "requests"},
    .conclude = &conclude_sizes};
constexpr auto sweep_schema = dataflow_schema<sweep_scenario>(
    option<&DataflowChoices::list>("kib", "of an envelope, besides the recommended size", between(1, 1'000'000)),
    option<&DataflowChoices::sweep_ways>("way",
                                         "in-sequence: one request after the other; all-cores: as many at a time "
                                         "as there are cores (none given: both)"),
    option<&DataflowChoices::requests>("requests", "for each that is under way", between(1, 100'000)), all_rows_option,
    stages_option, dataflow_option::work);
constexpr auto sweep_benchmark = dataflow_benchmark<sweep_scenario, sweep_schema>();
MXK_REGISTER(mxk_commands, console::Command, sweep_benchmark);

constexpr DataflowScenario sort_scenario{
    .name = "dataflow sort",
    .summary = "rows per second that are sorted: as they come, when all have come, or by tasks of the box",
    .notes = "Example: bench dataflow sort --all-rows 10M --requests 1x1\n",
    .unit = Unit::OperationsPerSecond,
    .shape = {.rows = 0, .stages = 1, .work = 2},
    .choices = {.plans = {{2, 1}, {1, 2}}, .min_rows = 1'000'000},
    .ways = &all_ways<&DataflowChoices::sort_ways, 10>,
    .tail = DataflowScenario::Tail::Sort,
    .run = &run_streamed,
    .print_what =
        [](TextSink& out, DataflowOptions const& options) {
            format(out, "requests of {} envelopes of {} rows", options.envelopes, options.rows);
        },
    .fields = {"rows", "envelopes"}};
constexpr auto sort_schema = dataflow_schema<sort_scenario>(
    option<&DataflowChoices::sort_ways>("way", "on-arrival, collected, tasks (none given: all)"), plans_option,
    rows_or_recommended_option, all_rows_option);
constexpr auto sort_benchmark = dataflow_benchmark<sort_scenario, sort_schema>();
MXK_REGISTER(mxk_commands, console::Command, sort_benchmark);

} // namespace
} // namespace mxk::bench
