#include "kernel/console/shell.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "kernel/console/named.hpp"
#include "kernel/console/words.hpp"

namespace mxk::console {
namespace {

Outcome run(Command const& command, Invocation& invocation) {
    auto const arguments = invocation.arguments;
    if (std::find(arguments.begin(), arguments.end(), "--help") == arguments.end()) return command.run(invocation);
    bool const has_topic = !arguments.front().starts_with('-') && command.help_topic != nullptr;
    return show_help(invocation, command.name, has_topic ? arguments.front() : std::string_view{});
}

Error unknown_command(std::string_view name) {
    return Error::of("{} ('help' lists all commands)", unknown_name("command", name, registered_commands()).message());
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
    Invocation const invocation{.arguments = {}, .out = out_, .failed_before = failed_};
    failed_ = invocation.fail(error) == Outcome::Failed;
}

Outcome Shell::execute_command(std::string_view text) {
    Words words;
    Invocation invocation{.arguments = {}, .out = out_, .failed_before = failed_};
    if (auto const split = words.split(text); !split) return invocation.fail(split.error());
    if (words.all().empty()) return Outcome::Ok;
    std::string_view const name = words.all().front();
    Command const* const command = find_by_name(registered_commands(), name);
    if (command == nullptr) return invocation.fail(unknown_command(name));
    invocation.arguments = words.all().subspan(1);
    return run(*command, invocation);
}

void Shell::complete(std::string_view text, Candidates& candidates) {
    bool const begins_new = text.ends_with(';');
    std::string_view command;
    while (!text.empty()) command = take_command(text);
    if (begins_new) command = {};

    std::string_view const word = command.substr(command.find_last_of(" \t") + 1);
    candidates.start(word);
    Words words;
    if (!words.split(command.substr(0, command.size() - word.size())) || word.find_first_of("'\"") != word.npos) return;
    if (words.all().empty()) {
        for (Command const* const known : registered_commands()) candidates.offer(known->name);
        return;
    }
    Command const* const known = find_by_name(registered_commands(), words.all().front());
    if (known != nullptr && known->complete != nullptr) known->complete(words.all().subspan(1), candidates);
}

} // namespace mxk::console
