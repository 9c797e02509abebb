#include "kernel/console/command_tree.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "kernel/console/named.hpp"

namespace mxk::console {
namespace {

using Path = FixedText<64>;

// What is typed to reach the command: "bench table". nullptr: nothing.
Path path_of(Command const* command) {
    Path path;
    if (command == nullptr) return path;
    if (!command->parent.empty()) format(path, "{} ", command->parent);
    path.append(command->name);
    return path;
}

// Whether a command stands below `parent`; nullptr: whether it has no parent.
class Below {
  public:
    explicit Below(Command const* parent)
        : path_(path_of(parent)) {}
    bool operator()(Command const& command) const { return command.parent == path_.view(); }

  private:
    Path path_;
};

Command const* find_below(Command const* parent, std::string_view name) {
    return find_by_name(registered_commands(), name, Below(parent));
}

void offer_below(Command const* parent, Candidates& candidates) {
    for_each_by_name(
        registered_commands(), [&](Command const& command) { candidates.offer(command.name); }, Below(parent));
}

// The group whose name comes next; empty: there is none.
std::string_view group_behind(std::string_view group) {
    std::string_view next;
    for (Command const* const command : registered_commands()) {
        if (!command->parent.empty() || command->group <= group) continue;
        if (next.empty() || command->group < next) next = command->group;
    }
    return next;
}

// "usage: test [PREFIX...] [OPTIONS]"
void print_usage_line(TextSink& out, Command const& command) {
    format(out, "usage: {}", path_of(&command).view());
    if (command.run == nullptr) return out.write(" [NAME [OPTIONS]]\n");
    bool any = false;
    for (Option const& option : command.options) {
        if (option.kind == Option::Kind::Positional)
            format(out, " [{}{}]", option.name, option.repeatable ? "..." : "");
        else
            any = true;
    }
    out.write(any ? " [OPTIONS]\n" : "\n");
}

// Where only one command has that name, below whichever other one.
Result<void> print_help_of_nested(TextSink& out, std::span<std::string_view const> words) {
    FixedText<200> places;
    Command const* found = nullptr;
    std::size_t count = 0;
    for (Command const* const command : registered_commands()) {
        if (command->name != words.front()) continue;
        format(places, "{}'help {}'", count++ == 0 ? "" : ", ", path_of(command).view());
        found = command;
    }
    if (count == 0 || words.size() > 1) return unknown_command(words.front());
    if (count > 1) return Error::of("'{}' is the name of several: {}", words.front(), places.view());
    print_command_help(out, *found);
    return {};
}

} // namespace

FoundCommand find_command(std::span<std::string_view const> words) {
    FoundCommand found{nullptr, words};
    while (!found.rest.empty()) {
        Command const* const next = find_below(found.command, found.rest.front());
        if (next == nullptr) break;
        found = {next, found.rest.subspan(1)};
    }
    return found;
}

bool has_nested(Command const& command) {
    auto const all = registered_commands();
    return std::any_of(all.begin(), all.end(), [is_below = Below(&command)](auto* other) { return is_below(*other); });
}

void list_nested(TextSink& out, Command const& command) {
    char const first = command.nested.front();
    format(out, "{}{}s:\n", static_cast<char>(first - 'a' + 'A'), command.nested.substr(1));
    Below const below(&command);
    print_summaries(out, registered_commands(), summary_width(registered_commands(), below), below);
}

Error unknown_command(std::string_view word) {
    return unknown_name("command", word, registered_commands(), Below(nullptr));
}

Error unknown_nested(Command const& command, std::string_view word) {
    Error const unknown = unknown_name(command.nested, word, registered_commands(), Below(&command));
    return Error::of("{} ('{}' lists all {}s)", unknown.message(), path_of(&command).view(), command.nested);
}

void list_commands(TextSink& out) {
    std::size_t const width = summary_width(registered_commands(), Below(nullptr));
    out.write("Commands:\n");
    for (std::string_view group = group_behind({}); !group.empty(); group = group_behind(group)) {
        format(out, "{}\n", group);
        print_summaries(out, registered_commands(), width,
                        [group](Command const& command) { return command.parent.empty() && command.group == group; });
    }
}

void print_command_help(TextSink& out, Command const& command) {
    format(out, "{}: {}\n", command.name, command.summary);
    bool const only_nested = command.run == nullptr;
    if (only_nested || command.print_options != nullptr) print_usage_line(out, command);
    if (only_nested) {
        format(out, "Without a name it lists the {}s. 'help {} NAME' shows the options of one, and their defaults.\n",
               command.nested, path_of(&command).view());
    }
    if (command.print_options != nullptr) command.print_options(out);
    out.write(command.notes);
    if (command.more_help != nullptr) command.more_help(out);
    if (has_nested(command)) list_nested(out, command);
}

Result<void> print_command_help(TextSink& out, std::span<std::string_view const> words) {
    auto const [command, rest] = find_command(words);
    if (command == nullptr) return print_help_of_nested(out, words);
    if (rest.empty()) {
        print_command_help(out, *command);
        return {};
    }
    if (has_nested(*command)) return unknown_nested(*command, rest.front());
    Path const path = path_of(command);
    return Error::of("'{}' has no topics; 'help {}' says all there is", path.view(), path.view());
}

void complete_command(std::span<std::string_view const> before, Candidates& candidates) {
    auto const [command, rest] = find_command(before);
    if (rest.empty()) offer_below(command, candidates);
    if (command == nullptr) return;
    complete_options_erased(rest, command->options, candidates);
    if (command->more_words != nullptr && !awaits_value(rest, command->options)) command->more_words(rest, candidates);
}

void complete_command_name(std::span<std::string_view const> before, Candidates& candidates) {
    auto const [command, rest] = find_command(before);
    if (rest.empty()) offer_below(command, candidates);
}

} // namespace mxk::console
