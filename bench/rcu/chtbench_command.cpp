// `chtbench`: the benchmarks of HelenOS' command of this name, and what measures the same here.
#include "kernel/console/command.hpp"

namespace mxk::bench {
namespace {

console::Outcome show_chtbench(console::Invocation& invocation) {
    invocation.out.write("HelenOS' chtbench measures:        here:\n"
                         "  empty read sections              bench rcu-read --kind qsbr,rcu,a-rcu,spin-shared\n"
                         "  a list under RCU or a spin lock  bench list --kind rcu,spin --update-pct 10\n"
                         "  a list that does not change      bench list --figure\n"
                         "  look-ups in the shared table     bench table --model shared --layout concurrent "
                         "--mix insert,find\n"
                         "  updates of it                    bench table --model shared --layout concurrent "
                         "--mix loaded:5/90/5\n"
                         "  look-ups while it is resized     bench resize\n"
                         "Each takes --cores, --repeat and --json; 'help bench NAME' says more.\n");
    return console::Outcome::Ok;
}

constexpr auto chtbench_command = console::command<&show_chtbench>(
    {.name = "chtbench", .summary = "HelenOS' benchmarks by what they are called here", .group = "measuring"});
MXK_REGISTER(mxk_commands, console::Command, chtbench_command);

} // namespace
} // namespace mxk::bench
