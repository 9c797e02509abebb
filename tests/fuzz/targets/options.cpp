#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "kernel/console/command.hpp"
#include "kernel/console/named.hpp"
#include "kernel/console/shell.hpp"
#include "kernel/console/words.hpp"
#include "tests/fuzz/targets/input.hpp"
#include "tests/fuzz/targets/options_checks.hpp"
#include "tests/fuzz/targets/probe_options.hpp"
#include "tests/fuzz/targets/targets.hpp"

namespace mxk::fuzz {
namespace {

using console::Outcome;
using WordsOf = std::vector<std::string>;

// What the command below was given since the line began.
std::vector<WordsOf>& received() {
    static std::vector<WordsOf> all;
    return all;
}

Outcome run_probe(console::Invocation& invocation) {
    received().emplace_back(invocation.arguments.begin(), invocation.arguments.end());
    ProbeOptions options;
    auto const parsed = console::parse(invocation.arguments, probe_schema, options);
    return parsed ? Outcome::Ok : invocation.fail(parsed.error());
}

// Reads its arguments itself, for they are compared with what was typed.
constexpr console::Command probe_command{
    .name = "fuzz-probe",
    .summary = "parses every kind of option",
    .run = &run_probe,
    .options = probe_schema.options,
    .print_options = [](TextSink& out) { console::print_help(out, probe_schema, ProbeOptions{}); },
};
MXK_REGISTER(mxk_commands, console::Command, probe_command);

// The words of a command, once more in the plainest way; nothing where a quote stays open.
std::optional<WordsOf> words_of(std::string_view command) {
    WordsOf words;
    bool inside_word = false;
    char open = 0;
    for (char const c : command) {
        bool const is_blank = c == ' ' || c == '\t';
        bool const is_quote = c == '\'' || c == '"';
        if (open == 0 && is_blank) {
            inside_word = false;
            continue;
        }
        if (!inside_word) words.emplace_back();
        inside_word = true;
        if (open == 0 && is_quote) {
            open = c;
        } else if (open != 0 && open == c) {
            open = 0;
        } else {
            words.back() += c;
        }
    }
    return open == 0 ? std::optional(words) : std::nullopt;
}

// `words` written so that splitting gives them again, whatever they hold.
std::string quoted(WordsOf const& words) {
    std::string line;
    for (std::string const& word : words) {
        if (!line.empty()) line += ' ';
        line += "''";
        for (char const c : word) line += c == '\'' ? "\"'\"" : std::string("'") + c + "'";
    }
    return line;
}

WordsOf expect_split(std::string_view command) {
    console::Words words;
    auto const split = words.split(command);
    auto const expected = words_of(command);
    bool const is_too_much =
        command.size() > console::Words::max_characters || (expected && expected->size() > console::Words::max_words);
    EXPECT_EQ(split.ok(), expected.has_value() && !is_too_much) << command;
    if (!split) return {};
    WordsOf const found(words.all().begin(), words.all().end());
    EXPECT_EQ(found, *expected) << command;

    std::string const again = quoted(found);
    if (again.size() <= console::Words::max_characters) {
        EXPECT_TRUE(words.split(again).ok()) << again;
        EXPECT_TRUE(std::ranges::equal(words.all(), found)) << again;
    }
    return found;
}

// The commands of `line`, once more in the plainest way: a '#' that begins a word ends one, and what is behind it in
// its row is none.
std::vector<std::string> commands_of(std::string_view line) {
    std::vector<std::string> commands;
    bool is_open = false; // a command whose end was not seen
    bool is_comment = false;
    char quote = 0;
    char before = ' ';
    for (char const c : line) {
        if (!is_open && !is_comment) {
            commands.emplace_back();
            is_open = true;
            before = ' ';
        }
        bool const begins_comment = quote == 0 && c == '#' && (before == ' ' || before == '\t');
        before = c;
        if (is_comment) {
            is_comment = c != '\n';
        } else if (begins_comment) {
            is_comment = true;
            is_open = false;
        } else if (quote == 0 && (c == ';' || c == '\n')) {
            is_open = false;
        } else {
            commands.back() += c;
            if (quote == c)
                quote = 0;
            else if (quote == 0 && (c == '\'' || c == '"'))
                quote = c;
        }
    }
    return commands;
}

std::vector<std::string_view> expect_commands(std::string_view line) {
    std::vector<std::string_view> commands;
    for (std::string_view rest = line; !rest.empty();) commands.push_back(console::take_command(rest));
    EXPECT_TRUE(std::ranges::equal(commands, commands_of(line))) << line;
    return commands;
}

bool asks_for_help(WordsOf const& words) {
    return std::any_of(words.begin() + 1, words.end(),
                       [](auto const& word) { return word == "--help" || word == "-h"; });
}

// What may be run here: nothing that ends the program or needs a machine.
bool is_harmless(WordsOf const& words) {
    if (words.empty() || words.front() == "help" || words.front() == probe_command.name) return true;
    return asks_for_help(words) || console::find_by_name(console::registered_commands(), words.front()) == nullptr;
}

class CountingSink final : public TextSink {
  public:
    void write(std::string_view text) override { bytes += text.size(); }
    std::size_t bytes = 0;
};

void expect_execution(std::string_view line, std::vector<WordsOf> const& commands) {
    if (!std::ranges::all_of(commands, is_harmless)) return;
    received().clear();
    CountingSink out;
    console::Shell shell(out);
    Outcome const outcome = shell.execute(line);
    EXPECT_EQ(shell.failed(), outcome == Outcome::Failed);
    EXPECT_TRUE(outcome == Outcome::Ok || out.bytes > 0) << "a failure without a word";

    std::vector<WordsOf> expected;
    for (WordsOf const& words : commands) {
        bool const is_probe = !words.empty() && words.front() == probe_command.name;
        if (!is_probe || asks_for_help(words)) continue;
        expected.emplace_back(words.begin() + 1, words.end());
    }
    EXPECT_EQ(received(), expected);
}

void expect_completion(std::string_view text) {
    CountingSink out;
    console::Shell shell(out);
    console::Candidates candidates;
    shell.complete(text, candidates);
    EXPECT_TRUE(text.ends_with(candidates.word()));
    expect_sound_candidates(candidates);
}

} // namespace

void options(InputBytes bytes) {
    std::string_view const line(reinterpret_cast<char const*>(bytes.data()), bytes.size());
    std::vector<WordsOf> commands;
    for (std::string_view const command : expect_commands(line)) {
        WordsOf const words = expect_split(command);
        std::vector<std::string_view> const arguments(words.begin(), words.end());
        if (!arguments.empty()) expect_options_are_read_back(std::span(arguments).subspan(1));
        for (std::string_view const argument : arguments) {
            expect_exact_count(argument);
            expect_exact_count(argument.substr(argument.find('=') + 1));
        }
        commands.push_back(words);
    }
    expect_execution(line, commands);
    expect_completion(line);
    expect_printed_count_is_read_back(Input(bytes).take<std::uint64_t>());
}

} // namespace mxk::fuzz
