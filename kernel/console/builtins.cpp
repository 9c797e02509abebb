// The commands of the console itself: help, exit, reboot.
#include "arch/machine.hpp"
#include "base/format.hpp"
#include "kernel/console/command.hpp"
#include "kernel/console/named.hpp"

namespace mxk::console {
namespace {

Outcome list_commands(TextSink& out) {
    out.write("Commands:\n");
    print_summaries(out, registered_commands());
    out.write("'help COMMAND' or 'COMMAND --help' says more. 'A; B' runs B after A. Words with blanks go in quotes.\n"
              "Tab completes; the arrow keys move in the line and recall earlier ones; Ctrl-C drops the line.\n");
    return Outcome::Ok;
}

Outcome run_help(Invocation& invocation) {
    auto const topics = invocation.arguments;
    if (topics.empty()) return list_commands(invocation.out);
    if (topics.size() > 2) return invocation.fail(Error::of("unexpected argument '{}'", topics[2]));
    return show_help(invocation, topics[0], topics.size() == 2 ? topics[1] : std::string_view{});
}

void help_help(TextSink& out) {
    out.write("usage: help [COMMAND [TOPIC]]\n"
              "  help              all commands\n"
              "  help COMMAND      what it does, and its options\n"
              "  help bench NAME   one benchmark and its options\n");
}

void complete_help(std::span<std::string_view const> before, Candidates& candidates) {
    if (before.empty()) {
        for (Command const* const command : registered_commands()) candidates.offer(command->name);
    } else if (before.size() == 1) {
        // A command with topics completes them itself where its own first word stands.
        Command const* const command = find_by_name(registered_commands(), before.front());
        bool const has_topics = command != nullptr && command->help_topic != nullptr && command->complete != nullptr;
        if (has_topics) command->complete({}, candidates);
    }
}

Outcome run_exit(Invocation& invocation) {
    if (auto const none = expect_no_arguments(invocation); !none) return invocation.fail(none.error());
    arch::exit_machine(invocation.failed_before ? arch::ExitStatus::CommandFailed : arch::ExitStatus::Success);
}

void help_exit(TextSink& out) {
    out.write(
        "usage: exit\n"
        "Ends the machine (QEMU with the exit device, or the program on Linux). The status tells whether any command\n"
        "has failed since boot, so that a script can trust it: run=\"test; exit\".\n");
}

Outcome run_reboot(Invocation& invocation) {
    if (auto const none = expect_no_arguments(invocation); !none) return invocation.fail(none.error());
    arch::reset_machine();
}

constexpr Command help_command{.name = "help",
                               .summary = "what can be typed here",
                               .run = &run_help,
                               .help = &help_help,
                               .complete = &complete_help};
constexpr Command exit_command{.name = "exit",
                               .summary = "end the machine; the status tells whether any command failed",
                               .run = &run_exit,
                               .help = &help_exit};
constexpr Command reboot_command{.name = "reboot", .summary = "reset the machine", .run = &run_reboot};

MXK_REGISTER(mxk_commands, Command, help_command);
MXK_REGISTER(mxk_commands, Command, exit_command);
MXK_REGISTER(mxk_commands, Command, reboot_command);

} // namespace
} // namespace mxk::console
