// `bench semaphore-peer`: what other semaphores cost, for comparison with `bench semaphore`: the same experiments,
// cores, numbers and fields.
#include "bench/peers/cost_peer_command.hpp"
#include "bench/peers/thread_peer.hpp"

namespace mxk::bench {
namespace {

using SemaphorePeerOptions = PeerOptions<SemaphoreCosts, &registered_semaphore_peers>;

constexpr auto peer_schema = console::schema<SemaphorePeerOptions>(
    console::option<&SemaphorePeerOptions::peers>("peer", "names with commas between (none given: all)"),
    console::option<&SemaphorePeerOptions::measures>("measure",
                                                     "as in bench semaphore (none given: all that the peers can do)"),
    cost_option::cores, semaphore_option::operations, semaphore_option::yields, semaphore_option::trips,
    semaphore_option::threads, run_option::repeat, run_option::json);

console::Outcome run_semaphore_peer(console::Invocation& invocation, SemaphorePeerOptions const& options) {
    CostPeerCommand<SemaphoreMeasure, SemaphoreCosts> command(
        "semaphore-peer", "units were lost or doubled, or two threads were inside at once", options);
    return command.measure(invocation);
}

constexpr auto semaphore_peer_benchmark = console::command<&run_semaphore_peer, peer_schema>(
    {.name = "semaphore-peer",
     .summary = "cycles that other semaphores cost: sem_t, a futex, std::counting_semaphore",
     .parent = "bench",
     .notes = "Example: bench semaphore-peer --peer sem-t,futex --measure ping-pong --json\n",
     .more_help = [](TextSink& out) { list_cost_peers(out, registered_semaphore_peers()); }});
MXK_REGISTER(mxk_commands, console::Command, semaphore_peer_benchmark);

} // namespace
} // namespace mxk::bench
