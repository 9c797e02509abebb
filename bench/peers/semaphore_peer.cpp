// `bench semaphore-peer`: what other semaphores cost, for comparison with `bench semaphore`: the same experiments,
// cores, numbers and fields.
#include "bench/peers/cost_peer_command.hpp"
#include "bench/peers/thread_peer.hpp"

namespace mxk::bench {
namespace {

using SemaphorePeerOptions = PeerOptions<SemaphoreCosts>;

constexpr auto peer_schema = console::schema<SemaphorePeerOptions>(
    console::option<&SemaphorePeerOptions::peers>("peer", "names with commas between (none given: all)"),
    console::option<&SemaphorePeerOptions::measures>("measure",
                                                     "as in bench semaphore (none given: all that the peers can do)"),
    cost_option::cores, semaphore_option::operations, semaphore_option::yields, semaphore_option::trips,
    semaphore_option::threads, run_option::repeat, run_option::json);

console::Outcome run_semaphore_peer(console::Invocation& invocation) {
    SemaphorePeerOptions options;
    if (auto const parsed = console::parse(invocation.arguments, peer_schema, options); !parsed)
        return invocation.fail(parsed.error());
    CostPeerCommand<SemaphoreMeasure, SemaphoreCosts> command(
        "semaphore-peer", "units were lost or doubled, or two threads were inside at once",
        registered_semaphore_peers(), options);
    return command.measure(invocation);
}

constexpr Benchmark semaphore_peer_benchmark{
    .name = "semaphore-peer",
    .summary = "cycles that other semaphores cost: sem_t, a futex, std::counting_semaphore",
    .run = &run_semaphore_peer,
    .help =
        [](TextSink& out) {
            console::print_help(out, peer_schema, SemaphorePeerOptions{});
            list_cost_peers(out, registered_semaphore_peers());
            out.write("Example: bench semaphore-peer --peer sem-t,futex --measure ping-pong --json\n");
        },
    .complete =
        [](auto before, console::Candidates& candidates) {
            complete_cost_peers(before, registered_semaphore_peers(), peer_schema, candidates);
        },
};
MXK_REGISTER(mxk_benchmarks, Benchmark, semaphore_peer_benchmark);

} // namespace
} // namespace mxk::bench
