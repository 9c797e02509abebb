// The registered commands as a tree: those without a parent, and those below each. Finds the command that words mean,
// explains it, and completes it. Nothing is stored. One core at a time.
#pragma once

#include <span>
#include <string_view>

#include "base/result.hpp"
#include "base/text.hpp"
#include "kernel/console/command.hpp"
#include "kernel/console/completion.hpp"

namespace mxk::console {

// A command, and the words behind its name.
struct FoundCommand {
    Command const* command; // nullptr: the first word is no command
    std::span<std::string_view const> rest;
};

// The deepest command whose name `words` begin with: "bench table --ops 5" is `table` below `bench`.
FoundCommand find_command(std::span<std::string_view const> words);

// Whether there are commands below it.
bool has_nested(Command const& command);
// "Benchmarks:" and a line for each command below it.
void list_nested(TextSink& out, Command const& command);
// `word` is no command without a parent; none of those below `command`.
Error unknown_command(std::string_view word);
Error unknown_nested(Command const& command, std::string_view word);

// `help`: all commands without a parent, by group.
void list_commands(TextSink& out);
// `help WORDS`. Errors: no such command.
Result<void> print_command_help(TextSink& out, std::span<std::string_view const> words);
// The same of one that is known.
void print_command_help(TextSink& out, Command const& command);

// Offers what may follow the finished words `before`: names of commands, then what the command itself takes.
void complete_command(std::span<std::string_view const> before, Candidates& candidates);
// The same for words that can only be names of commands, as behind `help`.
void complete_command_name(std::span<std::string_view const> before, Candidates& candidates);

} // namespace mxk::console
