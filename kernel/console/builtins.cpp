// The commands of the console itself: help, check, exit, halt, reboot.
#include <span>
#include <string_view>

#include "arch/machine.hpp"
#include "base/result.hpp"
#include "kernel/console/command.hpp"
#include "kernel/console/command_tree.hpp"

namespace mxk::console {
namespace {

struct HelpOptions {
    WordList command;
};

constexpr auto help_schema = schema<HelpOptions>(positional<&HelpOptions::command>(
    "COMMAND", "what it does, and its options; 'help bench NAME': one benchmark; none: all commands"));

Outcome run_help(Invocation& invocation, HelpOptions const& options) {
    if (!options.command.values().empty()) {
        auto const shown = print_command_help(invocation.out, options.command.values());
        return shown ? Outcome::Ok : invocation.fail(shown.error());
    }
    list_commands(invocation.out);
    invocation.out.write(
        "'help COMMAND' or 'COMMAND --help' says more. 'A; B' runs B after A. Words with blanks go in quotes.\n"
        "Tab completes; the arrow keys move in the line and recall earlier ones; Ctrl-C drops the line.\n");
    return Outcome::Ok;
}

Result<void> check(std::span<std::string_view const> words) {
    if (words.empty()) return Error("expected a command, as in 'check bench table --ops 24M'");
    auto const [command, rest] = find_command(words);
    if (command == nullptr) return unknown_command(words.front());
    if (command->run == nullptr) return rest.empty() ? Result<void>() : unknown_nested(*command, rest.front());
    if (command->check == nullptr) return Error::of("'{}' reads its arguments when it runs", command->name);
    return command->check(rest);
}

Outcome run_check(Invocation& invocation) {
    auto const checked = check(invocation.arguments);
    return checked ? Outcome::Ok : invocation.fail(checked.error());
}

arch::ExitStatus status_after(Invocation const& invocation) {
    return invocation.failed_before ? arch::ExitStatus::CommandFailed : arch::ExitStatus::Success;
}

Outcome run_exit(Invocation& invocation) {
    arch::exit_machine(status_after(invocation));
}

Outcome run_halt(Invocation& invocation) {
    arch::halt_machine(status_after(invocation));
}

Outcome run_reboot(Invocation&) {
    arch::reset_machine();
}

constexpr auto help_command = command<&run_help, help_schema>(
    {.name = "help", .summary = "what can be typed here", .group = "session", .more_words = &complete_command_name});
constexpr Command check_command{
    .name = "check",
    .summary = "whether a command's name and options can be read; runs nothing",
    .group = "session",
    .notes = "Usage: check COMMAND [OPTIONS]. Says nothing where they can, and an error as the command does. What a\n"
             "command finds out when it runs (a missing file, options that contradict each other) is not looked at.\n",
    .more_words = &complete_command,
    .run = &run_check};
constexpr auto exit_command = command<&run_exit>(
    {.name = "exit",
     .summary = "end the machine; the status tells whether any command failed",
     .group = "session",
     .notes = "Ends the machine (QEMU with the exit device, or the program on Linux). The status tells whether any "
              "command\nhas failed since boot, so that a script can trust it: run=\"test; exit\".\n"});
constexpr auto halt_command = command<&run_halt>(
    {.name = "halt",
     .summary = "stop all cores; the machine stays on",
     .group = "session",
     .notes = "The last line says whether any command has failed since boot. Nothing is obeyed afterwards, and QEMU "
              "does not end:\nscripts use 'exit'. The Linux program ends, with the exit code of 'exit'.\n"});
constexpr auto reboot_command =
    command<&run_reboot>({.name = "reboot", .summary = "reset the machine", .group = "session"});

MXK_REGISTER(mxk_commands, Command, help_command);
MXK_REGISTER(mxk_commands, Command, check_command);
MXK_REGISTER(mxk_commands, Command, exit_command);
MXK_REGISTER(mxk_commands, Command, halt_command);
MXK_REGISTER(mxk_commands, Command, reboot_command);

} // namespace
} // namespace mxk::console
