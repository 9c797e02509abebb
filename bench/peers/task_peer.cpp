// `bench task-peer`: what tasks cost elsewhere, for comparison with `bench task`: the same measures, cores, numbers and
// fields. Which peer does what for which measure: docs/bench-task.md.
#include "bench/peers/task_peer.hpp"

#include "bench/peers/cost_peer_command.hpp"

namespace mxk::bench {
namespace {

using TaskPeerOptions = PeerOptions<TaskOptions, &registered_task_peers>;

constexpr auto peer_schema = console::schema<TaskPeerOptions>(
    console::option<&TaskPeerOptions::peers>("peer", "names with commas between (none given: all)"),
    console::option<&TaskPeerOptions::measures>("measure", "as in bench task (none given: all that the peers can do)"),
    cost_option::cores, task_option::operations, task_option::depth, task_option::pool, task_option::trips,
    task_option::wakes, run_option::repeat, run_option::json);

console::Outcome run_task_peer(console::Invocation& invocation, TaskPeerOptions const& options) {
    CostPeerCommand<Measure, TaskOptions> command("task-peer", "tasks were lost, doubled or in the wrong place",
                                                  options);
    return command.measure(invocation);
}

constexpr auto task_peer_benchmark = console::command<&run_task_peer, peer_schema>(
    {.name = "task-peer",
     .summary = "cycles per task elsewhere: oneTBB, Taskflow, a pool with a locked deque, bare lists",
     .parent = "bench",
     .notes = "Example: bench task-peer --peer deque-pool,tbb-task-arena --measure round-trip --json\n",
     .more_help = [](TextSink& out) { list_cost_peers(out, registered_task_peers()); }});
MXK_REGISTER(mxk_commands, console::Command, task_peer_benchmark);

} // namespace
} // namespace mxk::bench
