// What can be typed at the console. A command is its options (options.hpp) and a function, and a constant that
// registers itself where it is defined:
//
//     Outcome run_topology(Invocation& invocation, TopologyOptions const& options);
//     constexpr auto topology_command = console::command<&run_topology, topology_schema>(
//         {.name = "topology", .summary = "nodes, cores, distances", .group = "machine", .notes = "Example: ...\n"});
//     MXK_REGISTER(mxk_commands, console::Command, topology_command);
//
// Parsing, help and completion follow from the schema. `command<&run>` takes no options. A command with a `parent` is
// typed behind it (`bench table`); a command without a function consists of those below it.
//
// It runs on the console's core, to its end, and may wait for other cores.
#pragma once

#include <span>
#include <string_view>

#include "base/registry.hpp"
#include "base/result.hpp"
#include "base/text.hpp"
#include "kernel/console/completion.hpp"
#include "kernel/console/invocation.hpp"
#include "kernel/console/options.hpp"

namespace mxk::console {

struct Command {
    std::string_view name;
    std::string_view summary;          // one line, what it is good for
    std::string_view parent = {};      // all that is typed before the name: "bench"; empty: nothing
    std::string_view group = "others"; // under which heading `help` lists it, where it has no parent
    std::string_view nested = {};      // what those below it are, in the singular: "benchmark"
    std::string_view notes = {};       // below the options in its help: examples, and what the options do not say
    // Below the notes: what is only known at run time. Optional.
    void (*more_help)(TextSink& out) = nullptr;
    // Words that may follow the finished words `before`, besides the options and their values. Optional.
    void (*more_words)(std::span<std::string_view const> before, Candidates& candidates) = nullptr;

    // Given by command(). A command that reads its arguments itself gives `run` only.
    Outcome (*run)(Invocation& invocation) = nullptr;
    // Whether the arguments can be read; runs nothing.
    Result<void> (*check)(std::span<std::string_view const> arguments) = nullptr;
    std::span<Option const> options = {};
    void (*print_options)(TextSink& out) = nullptr; // with their defaults
};

MXK_REGISTRY(mxk_commands, Command, registered_commands)

// The error names the first argument that is there.
Result<void> expect_no_arguments(std::span<std::string_view const> arguments);

template <auto run> struct OptionsOf;
template <typename Options, Outcome (*run)(Invocation&, Options const&)> struct OptionsOf<run> {
    using Type = Options;
};

// `run`: Outcome run(Invocation&, Options const&), called where all arguments are right.
template <auto run, auto const& schema> consteval Command command(Command described) {
    using Options = typename OptionsOf<run>::Type;
    described.options = schema.options;
    described.print_options = [](TextSink& out) { print_help(out, schema, Options{}); };
    described.check = [](std::span<std::string_view const> arguments) {
        Options options;
        return parse(arguments, schema, options);
    };
    described.run = [](Invocation& invocation) {
        Options options;
        if (auto const parsed = parse(invocation.arguments, schema, options); !parsed)
            return invocation.fail(parsed.error());
        return run(invocation, options);
    };
    return described;
}

// `run`: Outcome run(Invocation&), called where there are no arguments.
template <auto run> consteval Command command(Command described) {
    described.print_options = [](TextSink&) {};
    described.check = &expect_no_arguments;
    described.run = [](Invocation& invocation) {
        if (auto const none = expect_no_arguments(invocation.arguments); !none) return invocation.fail(none.error());
        return run(invocation);
    };
    return described;
}

} // namespace mxk::console
