// What can be typed at the console. A command is a constant that registers itself where it is defined:
//
//     constexpr console::Command topology_command{.name = "topology", .summary = "cores, nodes, distances", .run =
//     &run}; MXK_REGISTER(mxk_commands, console::Command, topology_command);
//
// It runs on the console's core, to its end, and may wait for other cores.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/registry.hpp"
#include "base/result.hpp"
#include "base/text.hpp"
#include "kernel/console/completion.hpp"

namespace mxk::console {

enum class Outcome : std::uint8_t { Ok, Failed };

struct Invocation {
    std::span<std::string_view const> arguments; // without the command's name; valid while it runs
    TextSink& out;
    bool failed_before = false; // whether any command has failed since boot

    // Says what is wrong, in one line: `return invocation.fail(...)` is how a command ends that cannot do its work.
    Outcome fail(Error const& error) const;
};

struct Command {
    std::string_view name;
    std::string_view summary; // one line, what it is good for
    Outcome (*run)(Invocation& invocation);
    // What `help NAME` prints below the summary: usage and options. Optional.
    void (*help)(TextSink& out) = nullptr;
    // Offers what may follow the finished words `before` (without the command's name). Optional.
    void (*complete)(std::span<std::string_view const> before, Candidates& candidates) = nullptr;
    // `help NAME TOPIC`, for commands with sub-commands. Optional.
    Outcome (*help_topic)(Invocation& invocation, std::string_view topic) = nullptr;
};

MXK_REGISTRY(mxk_commands, Command, registered_commands)

// For commands that take none: the error names the first one.
Result<void> expect_no_arguments(Invocation const& invocation);

// `help NAME` and, where `topic` is not empty, `help NAME TOPIC`.
Outcome show_help(Invocation& invocation, std::string_view name, std::string_view topic);

} // namespace mxk::console
