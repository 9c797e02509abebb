// The program mxk-mpi: locks for distributed memory, over MPI-3. All ranks run the same commands; rank 0 speaks.
#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.hpp"
#include "kernel/console/options.hpp"
#include "kernel/console/words.hpp"
#include "main/mpi/session.hpp"

namespace mxk::mpi {

std::uint64_t Session::sum(std::uint64_t own) const {
    std::vector<std::uint64_t> all(world.ranks());
    world.gather(std::span(&own, 1), all);
    std::uint64_t sum = 0;
    for (std::uint64_t const one : all) sum += one;
    return sum;
}

void Session::describe(JsonWriter& json) const {
    json.field("fabric", "mpi");
    json.field("mpi", std::string_view(library.version));
    json.field("component", std::string_view(library.component));
    json.field("unified", library.is_unified);
    json.field("ranks", world.ranks());
    json.field("nodes", nodes());
    json.field("crowded", world.is_crowded());
}

namespace {

constexpr int failed_exit_code = 1;
constexpr int usage_exit_code = 2;

struct ProgramOptions {
    std::uint64_t nodes = 1;
    std::uint64_t region = 8192;
    bool help = false;
};
constexpr auto program_schema = console::schema<ProgramOptions>(
    console::option<&ProgramOptions::nodes>("nodes", "pretended nodes: equal parts of the ranks",
                                            console::between(1, 4096)),
    console::option<&ProgramOptions::region>("region", "KiB of memory for locks, of each rank",
                                             console::between(64, 1'048'576)),
    console::flag<&ProgramOptions::help>("help", "this text"));

void print_usage(TextSink& out) {
    out.write("usage: mxk-mpi [OPTIONS] 'COMMAND; COMMAND...', of all ranks (tools/mxk lock-mpi starts them)\n");
    console::print_help(out, program_schema, ProgramOptions{});
    for (Command const* command : registered_commands()) {
        format(out, "\n{}: {}\n", command->name, command->summary);
        command->help(out);
    }
    out.write("\nExit status: 0 all holds, 1 something does not, 2 wrong usage, 4 a lock hangs.\n");
}

int fail_usage(Session& session, std::string_view message) {
    session.out.flush();
    if (session.world.rank() == 0) {
        FixedText<400> text;
        format(text, "mxk-mpi: {} ('mxk-mpi --help' says more)\n", message);
        std::fwrite(text.view().data(), 1, text.view().size(), stderr);
    }
    return usage_exit_code;
}

int run_commands(Session& session, std::string_view line) {
    int exit_code = 0;
    while (!line.empty()) {
        console::Words words;
        std::string_view const text = console::take_command(line);
        if (auto const split = words.split(text); !split) return fail_usage(session, split.error().message());
        if (words.all().empty()) continue;
        Command const* chosen = nullptr;
        for (Command const* command : registered_commands())
            if (command->name == words.all()[0]) chosen = command;
        if (chosen == nullptr) {
            FixedText<200> message;
            format(message, "expected a command, got '{}'", words.all()[0]);
            return fail_usage(session, message.view());
        }
        auto const holds = chosen->run(session, words.all().subspan(1));
        if (!holds) return fail_usage(session, holds.error().message());
        if (!holds.value()) exit_code = failed_exit_code;
        session.out.flush();
    }
    return exit_code;
}

int run(World& world, std::span<std::string_view const> words) {
    // Options stand before the first word without dashes; those of the program take a value each, but for --help.
    std::size_t count = 0;
    while (count < words.size() && words[count].starts_with('-'))
        count += words[count] == "--help" || words[count].find('=') != words[count].npos ? 1U : 2U;
    count = std::min(count, words.size());
    ProgramOptions options;
    auto const parsed = console::parse(words.first(count), program_schema, options);
    bool const is_divided = parsed && world.ranks() % options.nodes == 0;
    locks::MpiTransport transport(world, is_divided ? static_cast<Rank>(options.nodes) : 1, options.region * 1024);
    Session session{
        .world = world, .transport = transport, .out = Output(world.rank() == 0), .library = world.library()};
    if (!parsed) return fail_usage(session, parsed.error().message());
    if (options.help || count == words.size()) return print_usage(session.out), options.help ? 0 : usage_exit_code;
    if (!is_divided) {
        FixedText<200> message;
        format(message, "expected --nodes to divide the {} ranks, got {}", world.ranks(), options.nodes);
        return fail_usage(session, message.view());
    }
    std::string line;
    for (std::string_view const word : words.subspan(count)) line.append(line.empty() ? "" : " ").append(word);
    return run_commands(session, line);
}

} // namespace
} // namespace mxk::mpi

int main(int count, char** arguments) {
    mxk::mpi::World world(count, arguments);
    std::vector<std::string_view> const words(arguments + 1, arguments + count);
    return mxk::mpi::run(world, words);
}
