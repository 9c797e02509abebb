// The program mxk: the kernel's console on a Linux machine. The twin of main/metal/kernel_main.cpp: here, too, one page
// says what starts in which order and why.
#include <cstdio>
#include <span>
#include <string_view>
#include <vector>

#include "arch/linux/machine.hpp"
#include "arch/linux/signals.hpp"
#include "arch/linux/terminal.hpp"
#include "arch/terminal.hpp"
#include "base/log.hpp"
#include "bench/frame/file_loader.hpp"
#include "main/clock_skew.hpp"
#include "main/library/runtime.hpp"
#include "main/linux/log_sink.hpp"
#include "main/linux/program_options.hpp"
#include "tasks/commands/console_task.hpp"
#include "tasks/prefetching.hpp"

namespace mxk {
namespace {

int fail_usage(Error const& error);

Result<void> load(std::string_view names) {
    for (bench::FileLoader const* const loader : bench::registered_file_loaders()) return loader->load(names);
    return Error("--load: expected the program mxk-peers, which measures what others wrote");
}

void print_version(TextSink& out) {
    auto const machine = arch::describe_machine();
    format(out, "mxk {} {}\n", machine.version, machine.build);
}

int run(std::span<std::string_view const> words) {
    arch::TerminalSink out;
    auto const arguments = parse_arguments(words);
    if (!arguments) return fail_usage(arguments.error());
    auto const& [options, commands] = arguments.value();
    if (options.help) return print_usage(out), 0;
    if (options.load)
        if (auto const loaded = load(*options.load); !loaded) return fail_usage(loaded.error());
    if (options.version) return print_version(out), 0;

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
    prefetching::set_calibrate(options.calibrate);
    runtime.value().run([&](Worker& worker) {
        prepare_console(worker, {.run_line = commands,
                                 .partner = is_typed ? console::Partner::Terminal : console::Partner::Script,
                                 .before = &report_skew});
        if (has_commands)
            arch::close_terminal(); // nothing but these
        else
            arch::open_terminal(); // only now is core 0 there to be told of input
        worker.run();              // until `exit`, or the end of the input
    });
    return 0;
}

int fail_usage(Error const& error) {
    FixedText<400> text;
    format(text, "mxk: {} ('mxk --help' says more)\n", error.message());
    std::fwrite(text.view().data(), 1, text.view().size(), stderr);
    return arch::usage_exit_code;
}

} // namespace
} // namespace mxk

int main(int count, char** arguments) {
    std::vector<std::string_view> words(arguments + 1, arguments + count);
    if (!words.empty() && words[0] == "-h") words[0] = "--help";
    return mxk::run(words);
}
