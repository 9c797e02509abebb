// `uptime`: how long the kernel runs.
#include "kernel/clock.hpp"
#include "kernel/console/command.hpp"
#include "kernel/uptime.hpp"

namespace mxk {
namespace {

console::Outcome show_uptime(console::Invocation& invocation) {
    invocation.out.write("up ");
    clock::print_duration(invocation.out, clock::uptime());
    invocation.out.write("; the time-stamp counter has counted for ");
    clock::print_duration(invocation.out, clock::now());
    invocation.out.write("\n");
    return console::Outcome::Ok;
}

constexpr auto uptime_command = console::command<&show_uptime>(
    {.name = "uptime",
     .summary = "how long the kernel runs, and the time-stamp counter counts",
     .group = "machine",
     .notes = "As days, hours:minutes:seconds. The counter begins at the processor's reset; under a hypervisor or a\n"
              "system it may be the host's.\n"});
MXK_REGISTER(mxk_commands, console::Command, uptime_command);

} // namespace
} // namespace mxk
