// The program mxk: the kernel's console on a Linux machine. The twin of arch/x86_64/main.cpp: here, too, one page says
// what starts in which order and why.
#include <algorithm>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arch/linux/machine.hpp"
#include "arch/linux/runtime.hpp"
#include "arch/linux/signals.hpp"
#include "arch/linux/terminal.hpp"
#include "arch/terminal.hpp"
#include "base/log.hpp"
#include "kernel/console/options.hpp"
#include "tasks/console_task.hpp"
#include "tasks/workers.hpp"

namespace mxk {
namespace {

// Bytes, as "4G" or "512M": powers of two, as memory is sold.
struct MemorySize {
    std::uint64_t bytes = 0; // 0: not said
};

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

struct ProgramOptions {
    std::uint32_t cores = 0;
    std::uint32_t nodes = 0;
    MemorySize memory;
    bool help = false;
    bool version = false;
};

constexpr auto program_schema = console::schema<ProgramOptions>(
    console::option<&ProgramOptions::cores>("cores", "cores; more than there are processors share them (0: all)",
                                            console::between(0, 4096)),
    console::option<&ProgramOptions::nodes>("nodes", "pretended nodes of equal size (0: the machine's own)",
                                            console::between(0, 4096)),
    console::option<&ProgramOptions::memory>("memory", "for all nodes together"),
    console::flag<&ProgramOptions::help>("help", "this text"),
    console::flag<&ProgramOptions::version>("version", "revision and compiler"));

void print_usage(TextSink& out) {
    out.write("usage: mxk [OPTIONS] ['COMMAND; COMMAND...']\n"
              "Runs the commands and ends; without any it is a console on standard input.\n");
    console::print_help(out, program_schema, ProgramOptions{});
    out.write("Exit status: 0 every command succeeded, 1 one failed, 2 wrong usage, 3 panic.\n"
              "Example: mxk --cores 8 --nodes 2 'topology; bench table --cores 1,2 --ops 24M --json'\n"
              "'mxk help' lists the commands.\n");
}

// The log goes to standard error, so that standard output has what the commands say and nothing else. A script is only
// told of warnings and errors.
class LogSink final : public TextSink {
  public:
    explicit LogSink(bool warnings_only)
        : warnings_only_(warnings_only) {}
    void write(std::string_view text) override {
        bool const matters = text.starts_with("WARN ") || text.starts_with("ERROR ");
        if (!warnings_only_ || matters) std::fwrite(text.data(), 1, text.size(), stderr);
    }

  private:
    bool warnings_only_;
};

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
        bool const takes_next = words[at] == "--cores" || words[at] == "--nodes" || words[at] == "--memory";
        at += takes_next ? 2 : 1;
    }
    return std::min(at, words.size());
}

int fail_usage(Error const& error) {
    FixedText<400> text;
    format(text, "mxk: {} ('mxk --help' says more)\n", error.message());
    std::fwrite(text.view().data(), 1, text.view().size(), stderr);
    return arch::usage_exit_code;
}

int run(std::span<std::string_view const> words) {
    arch::TerminalSink out;
    std::size_t const option_count = count_options(words);
    std::span<std::string_view const> command_words = words.subspan(option_count);
    if (!command_words.empty() && command_words[0] == "--") command_words = command_words.subspan(1);
    ProgramOptions options;
    if (auto const parsed = console::parse(words.first(option_count), program_schema, options); !parsed)
        return fail_usage(parsed.error());
    if (options.help) return print_usage(out), 0;
    if (options.version) return format(out, "mxk {}\n", arch::describe_machine().build), 0;

    std::string const commands = command_line(command_words);
    bool const has_commands = !commands.empty();
    bool const is_typed = !has_commands && arch::terminal_is_interactive();

    // Before anything can go wrong or be waited for.
    arch::install_signal_handlers();
    static arch::SignalStack const stack; // not on the stack that may overflow
    static LogSink log_sink(!is_typed);   // other threads may log until the very end
    log::set_sink(log_sink);

    auto runtime = Runtime::start({options.cores, options.nodes, options.memory.bytes});
    if (!runtime) return fail_usage(runtime.error());
    if (is_typed) log::info("MXK {}: 'help' lists the commands, 'exit' or Ctrl-D ends", arch::describe_machine().build);
    runtime.value().run([&](Worker& worker) {
        prepare_console(worker, commands, is_typed ? console::Partner::Terminal : console::Partner::Script);
        if (has_commands)
            arch::close_terminal(); // nothing but these
        else
            arch::open_terminal(); // only now is core 0 there to be told of input
        worker.run();              // until `exit`, or the end of the input
    });
    return 0;
}

} // namespace
} // namespace mxk

int main(int count, char** arguments) {
    std::vector<std::string_view> words(arguments + 1, arguments + count);
    if (!words.empty() && words[0] == "-h") words[0] = "--help";
    return mxk::run(words);
}
