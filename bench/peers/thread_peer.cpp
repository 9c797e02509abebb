// `bench thread-peer`: what the system's threads cost without MXK's layer, for comparison with `bench thread`: the same
// experiments, cores, numbers and fields.
#include "bench/peers/thread_peer.hpp"

#include <gnu/libc-version.h>
#include <sys/utsname.h>

#include "bench/peers/cost_peer_command.hpp"

namespace mxk::bench {

std::string system_threads(std::string_view what) {
    utsname system{};
    uname(&system);
    return std::string(what)
        .append("; glibc ")
        .append(gnu_get_libc_version())
        .append(", Linux ")
        .append(system.release);
}

namespace {

using ThreadPeerOptions = PeerOptions<ThreadCosts, &registered_thread_peers>;

constexpr auto peer_schema = console::schema<ThreadPeerOptions>(
    console::option<&ThreadPeerOptions::peers>("peer", "names with commas between (none given: all)"),
    console::option<&ThreadPeerOptions::measures>("measure",
                                                  "as in bench thread (none given: all that the peers can do)"),
    cost_option::cores, thread_option::yields, thread_option::switches, thread_option::wakes, run_option::repeat,
    run_option::json);

console::Outcome run_thread_peer(console::Invocation& invocation, ThreadPeerOptions const& options) {
    CostPeerCommand<ThreadMeasure, ThreadCosts> command(
        "thread-peer", "threads did not take turns, or wake-ups were lost or doubled", options);
    return command.measure(invocation);
}

constexpr auto thread_peer_benchmark = console::command<&run_thread_peer, peer_schema>(
    {.name = "thread-peer",
     .summary = "cycles that the system's threads cost without MXK's layer: sched_yield, futex, sem_t",
     .parent = "bench",
     .notes = "Example: bench thread-peer --peer sched-yield,futex --measure yield,wake --json\n",
     .more_help = [](TextSink& out) { list_cost_peers(out, registered_thread_peers()); }});
MXK_REGISTER(mxk_commands, console::Command, thread_peer_benchmark);

} // namespace
} // namespace mxk::bench
