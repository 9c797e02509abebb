// `bench task-peer`: what tasks cost elsewhere, for comparison with `bench task`: the same measures, cores, numbers and
// fields. Which peer does what for which measure: docs/bench-task.md.
#include "bench/peers/task_peer.hpp"

#include "bench/peers/cost_peer_command.hpp"

namespace mxk::bench {
namespace {

using TaskPeerOptions = PeerOptions<TaskOptions>;

constexpr auto peer_schema = console::schema<TaskPeerOptions>(
    console::option<&TaskPeerOptions::peers>("peer", "names with commas between (none given: all)"),
    console::option<&TaskPeerOptions::measures>("measure", "as in bench task (none given: all that the peers can do)"),
    cost_option::cores, task_option::operations, task_option::depth, task_option::pool, task_option::trips,
    task_option::wakes, run_option::repeat, run_option::json);

console::Outcome run_task_peer(console::Invocation& invocation) {
    TaskPeerOptions options;
    if (auto const parsed = console::parse(invocation.arguments, peer_schema, options); !parsed)
        return invocation.fail(parsed.error());
    CostPeerCommand<Measure, TaskOptions> command("task-peer", "tasks were lost, doubled or in the wrong place",
                                                  registered_task_peers(), options);
    return command.measure(invocation);
}

constexpr Benchmark task_peer_benchmark{
    .name = "task-peer",
    .summary = "cycles per task elsewhere: oneTBB, Taskflow, a pool with a locked deque, bare lists",
    .run = &run_task_peer,
    .help =
        [](TextSink& out) {
            console::print_help(out, peer_schema, TaskPeerOptions{});
            list_cost_peers(out, registered_task_peers());
            out.write("Example: bench task-peer --peer deque-pool,tbb-task-arena --measure round-trip --json\n");
        },
    .complete =
        [](auto before, console::Candidates& candidates) {
            complete_cost_peers(before, registered_task_peers(), peer_schema, candidates);
        },
};
MXK_REGISTER(mxk_benchmarks, Benchmark, task_peer_benchmark);

} // namespace
} // namespace mxk::bench
