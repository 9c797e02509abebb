#include "main/linux/program_options.hpp"

#include <algorithm>
#include <array>

#include "kernel/console/options.hpp"
#include "main/library/shape.hpp"
#include "tasks/commands/prefetch_names.hpp"

namespace mxk {

Result<void> parse_value(std::string_view text, MemorySize& size) {
    constexpr std::string_view suffixes = "KMGT";
    auto const suffix = suffixes.find(text.empty() ? '\0' : text.back());
    unsigned const shift = suffix == suffixes.npos ? 0 : 10 * (static_cast<unsigned>(suffix) + 1);
    std::string_view const digits = text.substr(0, text.size() - (shift != 0 ? 1 : 0));
    auto const count = console::parse_count(digits, 1, UINT64_MAX >> shift);
    if (!count) return Error::of("expected a size of memory such as 512M or 4G, got '{}'", text);
    size.bytes = count.value() << shift;
    return {};
}
void print_value(TextSink& out, MemorySize const& size) {
    if (size.bytes != 0) return format(out, "{}", size.bytes);
    out.write("nine tenths of what is available");
}
void describe_value(TextSink& out, MemorySize const&) {
    out.write("SIZE");
}

namespace {

constexpr auto program_schema = console::schema<ProgramOptions>(
    console::option<&ProgramOptions::cores>("cores", "cores; more than there are processors share them (0: all)",
                                            console::between(0, arch::max_cores)),
    console::option<&ProgramOptions::nodes>("nodes", "pretended nodes of equal size (0: the machine's own)",
                                            console::between(0, arch::max_cores)),
    console::option<&ProgramOptions::memory>("memory", "for all nodes together"),
    console::option<&ProgramOptions::calibrate>("calibrate", "how to prefetch, before the first benchmark"),
    console::option<&ProgramOptions::load>("load", "FILE.so,FILE.so,...: tables, locks, allocators of your own"),
    console::flag<&ProgramOptions::help>("help", "this text"),
    console::flag<&ProgramOptions::version>("version", "version, revision and compiler"));

// What is left is the commands: one word is a line of commands as it stands; several are the words of one command, as
// in `mxk bench table --ops 24M`, quoted again where the shell has taken the quotes away.
std::string command_line(std::span<std::string_view const> words) {
    if (words.size() == 1) return std::string(words[0]);
    std::string line;
    for (std::string_view const word : words) {
        bool const is_plain = !word.empty() && word.find_first_of(" \t;'\"") == word.npos;
        char const quote = word.find('"') == word.npos ? '"' : '\'';
        if (!line.empty()) line += ' ';
        line += is_plain ? std::string(word) : quote + std::string(word) + quote;
    }
    return line;
}

// Options stand before the first word without dashes; an option's value is no such word.
std::size_t count_options(std::span<std::string_view const> words) {
    std::size_t at = 0;
    while (at < words.size() && words[at].starts_with('-') && words[at] != "--") {
        constexpr std::array with_value{"--cores", "--nodes", "--memory", "--calibrate", "--load"};
        bool const takes_next = std::ranges::find(with_value, words[at]) != with_value.end();
        at += takes_next ? 2 : 1;
    }
    return std::min(at, words.size());
}

} // namespace

void print_usage(TextSink& out) {
    out.write("usage: mxk [OPTIONS] ['COMMAND; COMMAND...']\n"
              "Runs the commands and ends; without any it is a console on standard input.\n");
    console::print_help(out, program_schema, ProgramOptions{});
    out.write("Exit status: 0 every command succeeded, 1 one failed, 2 wrong usage, 3 panic.\n"
              "Example: mxk --cores 8 --nodes 2 'topology; bench table --cores 1,2 --ops 24M --json'\n"
              "'mxk help' lists the commands.\n");
}

Result<ProgramArguments> parse_arguments(std::span<std::string_view const> words) {
    std::size_t const option_count = count_options(words);
    std::span<std::string_view const> command_words = words.subspan(option_count);
    if (!command_words.empty() && command_words[0] == "--") command_words = command_words.subspan(1);
    ProgramArguments arguments;
    MXK_TRY(console::parse(words.first(option_count), program_schema, arguments.options));
    arguments.commands = command_line(command_words);
    return arguments;
}

} // namespace mxk
