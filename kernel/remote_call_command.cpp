// `calls`: what cores have had each other run.
#include "kernel/console/command.hpp"
#include "kernel/remote_call.hpp"
#include "kernel/topology/system_topology.hpp"

namespace mxk {
namespace {

console::Outcome show_calls(console::Invocation& invocation) {
    format(invocation.out, "{:>5} {:>12} {:>12} {:>12}\n", "core", "called", "notified", "run");
    for (std::size_t i = 0; i < system_topology().cores.size(); ++i) {
        auto const [called, notified, run] = remote_calls::counts_of(core_id(i));
        if (called != 0) format(invocation.out, "{:5} {:12} {:12} {:12}\n", i, called, notified, run);
    }
    return console::Outcome::Ok;
}

constexpr auto calls_command = console::command<&show_calls>(
    {.name = "calls",
     .summary = "per core: functions that cores had it run, how often it was notified, how many it has run",
     .group = "machine"});
MXK_REGISTER(mxk_commands, console::Command, calls_command);

} // namespace

} // namespace mxk
