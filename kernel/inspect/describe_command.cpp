// `describe NAME`: whatever is called so: a command, one below another (a benchmark), a test, a function.
#include "kernel/console/command.hpp"
#include "kernel/console/command_tree.hpp"
#include "kernel/console/named.hpp"
#include "kernel/inspect/function.hpp"
#include "kernel/testing.hpp"

namespace mxk {
namespace {

using console::Candidates;
using console::Command;
using console::Invocation;
using console::Outcome;

struct DescribeOptions {
    console::WordList name;
};
constexpr auto describe_schema = console::schema<DescribeOptions>(console::positional<&DescribeOptions::name>(
    "NAME", "of a command, a benchmark, a test or a function; of a command also all that is typed: bench table"));

// Separates what is printed for several things of one name.
class Descriptions {
  public:
    explicit Descriptions(TextSink& out)
        : out_(out) {}
    TextSink& next() {
        if (count_++ > 0) out_.write("\n");
        return out_;
    }
    [[nodiscard]] std::size_t count() const { return count_; }

  private:
    TextSink& out_;
    std::size_t count_ = 0;
};

std::string_view note_on(inner_tests::Test::Kind kind) {
    switch (kind) {
    case inner_tests::Test::Kind::Long: return ", one that takes minutes on an emulated machine";
    case inner_tests::Test::Kind::Unsafe: return ", one that ends the kernel: it runs only if it is named";
    case inner_tests::Test::Kind::Short: break;
    }
    return "";
}
void describe_test(TextSink& out, inner_tests::Test const& test) {
    format(out, "{}: a test that is built into the kernel{}\nusage: test {}{}\n", test.name, note_on(test.kind),
           test.name, test.kind == inner_tests::Test::Kind::Long ? " --long" : "");
}

// Commands of that name, wherever they stand.
void describe_commands(Descriptions& descriptions, std::string_view name) {
    for (Command const* const command : console::registered_commands()) {
        if (command->name == name) console::print_command_help(descriptions.next(), *command);
    }
}

void describe_tests(Descriptions& descriptions, std::string_view name) {
    std::size_t of_room = 0;
    for (inner_tests::Test const* const test : inner_tests::registered_tests()) {
        if (test->name == name) describe_test(descriptions.next(), *test);
        bool const is_in_room = test->name.starts_with(name) && test->name.substr(name.size()).starts_with('.');
        of_room += is_in_room ? 1U : 0U;
    }
    if (of_room > 0)
        format(descriptions.next(), "{}: {} test{}\nusage: test {}\n'test --list {}' shows their names.\n", name,
               of_room, of_room == 1 ? "" : "s", name, name);
}

void describe_functions(Descriptions& descriptions, std::string_view name) {
    inspect::Function const* const function = console::find_by_name(inspect::registered_functions(), name);
    if (function == nullptr) return;
    format(descriptions.next(), "{}: {}\nusage: call {}{}{}, or mcall\n", name, function->summary, name,
           function->parameters.empty() ? "" : " ", function->parameters);
}

// In the words of unknown_name(), of all the kinds together.
Error nothing_is_called(std::string_view name) {
    FixedText<128> similar;
    auto const add = [&](auto const& entry) {
        if (console::similar(name, entry.name))
            format(similar, "{}{}", similar.view().empty() ? "; did you mean " : ", ", entry.name);
    };
    console::for_each_by_name(console::registered_commands(), add);
    console::for_each_by_name(inner_tests::registered_tests(), add);
    console::for_each_by_name(inspect::registered_functions(), add);
    return Error::of("expected the name of a command, a benchmark, a test or a function, got '{}'{}{}", name,
                     similar.view(), similar.view().empty() ? "" : "?");
}

Outcome run_describe(Invocation& invocation, DescribeOptions const& options) {
    auto const words = options.name.values();
    if (words.empty()) return invocation.fail(Error("expected a name, as in 'describe memory'; 'help' lists commands"));
    Descriptions descriptions(invocation.out);
    if (words.size() > 1) {
        auto const shown = console::print_command_help(invocation.out, words);
        return shown ? Outcome::Ok : invocation.fail(shown.error());
    }
    describe_commands(descriptions, words.front());
    describe_tests(descriptions, words.front());
    describe_functions(descriptions, words.front());
    return descriptions.count() > 0 ? Outcome::Ok : invocation.fail(nothing_is_called(words.front()));
}

void offer_names(std::span<std::string_view const> before, Candidates& candidates) {
    console::complete_command_name(before, candidates);
    if (!before.empty()) return;
    for (Command const* const command : console::registered_commands()) candidates.offer(command->name);
    for (inner_tests::Test const* const test : inner_tests::registered_tests()) candidates.offer(test->name);
    for (inspect::Function const* const function : inspect::registered_functions()) candidates.offer(function->name);
}

constexpr auto describe_command = console::command<&run_describe, describe_schema>(
    {.name = "describe",
     .summary = "what a command, a benchmark, a test or a function is, by its name alone",
     .group = "session",
     .notes = "Example: describe table; describe memory\n"
              "Of several things that have one name it shows each. 'help' takes what is typed: help bench table.\n",
     .more_words = &offer_names});
MXK_REGISTER(mxk_commands, Command, describe_command);

} // namespace
} // namespace mxk
