#include "kernel/console/shell.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "kernel/console/command_tree.hpp"
#include "kernel/console/words.hpp"

namespace mxk::console {
namespace {

bool asks_for_help(std::span<std::string_view const> arguments) {
    return std::any_of(arguments.begin(), arguments.end(),
                       [](std::string_view argument) { return argument == "--help" || argument == "-h"; });
}

// A command that has no function of its own consists of those below it: alone it lists them.
Outcome run_group(Command const& command, Invocation const& invocation) {
    if (!invocation.arguments.empty()) return invocation.fail(unknown_nested(command, invocation.arguments.front()));
    list_nested(invocation.out, command);
    return Outcome::Ok;
}

} // namespace

Outcome Shell::execute(std::string_view line) {
    Outcome outcome = Outcome::Ok;
    while (!line.empty()) {
        if (execute_command(take_command(line)) == Outcome::Failed) {
            outcome = Outcome::Failed;
            failed_ = true;
        }
    }
    return outcome;
}

void Shell::refuse(Error const& error) {
    Invocation const invocation(out_, failed_);
    failed_ = invocation.fail(error) == Outcome::Failed;
}

Outcome Shell::execute_command(std::string_view text) {
    Words words;
    Invocation invocation(out_, failed_);
    if (auto const split = words.split(text); !split) return invocation.fail(split.error());
    if (words.all().empty()) return Outcome::Ok;
    auto const [command, arguments] = find_command(words.all());
    if (command == nullptr) {
        Error const unknown = unknown_command(words.all().front());
        return invocation.fail(Error::of("{} ('help' lists all commands)", unknown.message()));
    }
    bool const is_group = command->run == nullptr;
    bool const names_one = !arguments.empty() && !arguments.front().starts_with('-');
    if (asks_for_help(arguments) && !(is_group && names_one)) {
        auto const path = words.all().first(words.all().size() - arguments.size());
        auto const shown = print_command_help(out_, path);
        return shown ? Outcome::Ok : invocation.fail(shown.error());
    }
    invocation.arguments = arguments;
    return is_group ? run_group(*command, invocation) : command->run(invocation);
}

void Shell::complete(std::string_view text, Candidates& candidates) {
    char const* const end = text.data() + text.size();
    std::string_view command = text.substr(0, 0); // of an empty line
    while (!text.empty()) command = take_command(text);
    char const* const command_end = command.data() + command.size();
    candidates.start({});
    if (command_end < end && *command_end != ';') return; // a comment
    if (command_end < end) command = {};

    std::string_view const word = command.substr(command.find_last_of(" \t") + 1);
    candidates.start(word);
    Words words;
    if (!words.split(command.substr(0, command.size() - word.size())) || word.find_first_of("'\"") != word.npos) return;
    complete_command(words.all(), candidates);
}

} // namespace mxk::console
