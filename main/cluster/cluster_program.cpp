// The program mxk-cluster: the console on rank 0 of several, which has the others do what its commands need. tools/mxk
// cluster starts it.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "arch/linux/machine.hpp"
#include "arch/linux/signals.hpp"
#include "arch/linux/terminal.hpp"
#include "arch/terminal.hpp"
#include "base/log.hpp"
#include "base/panic.hpp"
#include "kernel/console/options.hpp"
#include "main/cluster/link_wrapper.hpp"
#include "main/cluster/orders.hpp"
#include "main/linux/log_sink.hpp"
#include "main/linux/program_options.hpp"
#include "tasks/commands/console_task.hpp"
#include "tasks/prefetching.hpp"

namespace mxk::cluster {
namespace {

enum class NetworkKind : std::uint8_t { One, Each };
constexpr auto value_names(NetworkKind) {
    using console::NamedValue;
    return std::array{NamedValue{NetworkKind::One, "one"}, NamedValue{NetworkKind::Each, "each"}};
}

struct Options {
    std::uint32_t cores = 0;
    MemorySize memory{};
    NetworkKind network = NetworkKind::One;
    std::uint32_t credits = remote::NetworkLimits{}.credits;
    std::uint32_t message = remote::NetworkLimits{}.fill;
    std::uint32_t lost_after = 5;
    std::uint64_t disturb = 0;
    bool unwatched = false;
    bool help = false;
};
constexpr auto program_schema = console::schema<Options>(
    console::option<&Options::cores>("cores", "of each rank (0: the host's processors, cut among its ranks)",
                                     console::between(0, 4096)),
    console::option<&Options::memory>("memory", "of each rank"),
    console::option<&Options::network>("network", "which cores of a rank talk to MPI"),
    console::option<&Options::credits>("credits", "requests that may be under way from one rank to another",
                                       console::between(1, 1024)),
    console::option<&Options::message>("message", "bytes of a message at which it is sent",
                                       console::between(256, remote::Message::wire_bytes)),
    console::option<&Options::lost_after>("lost-after", "seconds without a sign of life after which a rank is lost",
                                          console::between(1, 3600)),
    console::option<&Options::disturb>("disturb",
                                       "a seed: messages are delayed and pass those of others (test builds)"),
    console::flag<&Options::unwatched>("unwatched",
                                       "ranks do not notice a lost one; MPI is called by one thread of each"),
    console::flag<&Options::help>("help", "this text"));

constinit Cluster* cluster_of_program = nullptr;

// Of the other ranks: one that is not the console's says who it is.
class RankLog final : public TextSink {
  public:
    explicit RankLog(Rank rank)
        : rank_(rank) {}
    void write(std::string_view text) override {
        if (text.starts_with("ERROR "))
            std::fprintf(stderr, "rank %u: %.*s", rank_, static_cast<int>(text.size()), text.data());
    }

  private:
    Rank rank_;
};

void print_cluster_usage(TextSink& out) {
    out.write("usage: mxk-cluster [OPTIONS] ['COMMAND; COMMAND...'], started on all ranks by tools/mxk cluster\n");
    console::print_help(out, program_schema, Options{});
    out.write("Without commands, rank 0 is a console on standard input; 'help' lists the commands.\n"
              "Exit status: 0 every command succeeded, 1 one failed, 2 wrong usage, 3 panic, 5 a rank was lost.\n");
}

// Options stand before the first word without dashes; an option's value is no such word.
std::size_t count_options(std::span<std::string_view const> words) {
    std::size_t at = 0;
    while (at < words.size() && words[at].starts_with("--") && words[at] != "--")
        at += words[at] == "--help" || words[at] == "--unwatched" || words[at].find('=') != words[at].npos ? 1U : 2U;
    return std::min(at, words.size());
}

void say_wrong_usage(Error const& error) {
    std::string const message(error.message());
    std::fprintf(stderr, "mxk-cluster: %s ('mxk-cluster --help' says more)\n", message.c_str());
}

// Rank 0 ends by the console's `exit`, in the middle of its task.
void end_all() {
    if (cluster_of_program == nullptr) return;
    std::fflush(stdout);
    give_end();
    cluster_of_program->leave();
}

int run(int count, char** arguments) {
    std::vector<std::string_view> const words(arguments + 1, arguments + count);
    std::size_t const option_count = count_options(words);
    Options options;
    auto const parsed = console::parse(std::span(words).first(option_count), program_schema, options);
    // Without MPI, so that it works without its starter.
    arch::TerminalSink out;
    if (parsed && options.help) return print_cluster_usage(out), 0;

    ClusterOptions wanted{.cores = options.cores,
                          .memory_bytes = options.memory.bytes,
                          .network_of_each_core = options.network == NetworkKind::Each,
                          .watches = !options.unwatched,
                          .lost_after_seconds = static_cast<double>(options.lost_after)};
    wanted.limits.credits = options.credits;
    wanted.limits.fill = options.message;
    if (options.disturb != 0) {
        for (LinkWrapper const* const wrapper : registered_link_wrappers()) wanted.wrap_link = wrapper->wrap;
        wanted.wrap_seed = options.disturb;
    }
    wanted.on_error = &say_wrong_usage;
    wanted.usage = parsed ? Result<void>() : Result<void>(parsed.error());
    if (options.unwatched && wanted.network_of_each_core) wanted.usage = Error("--unwatched: expected --network one");
    if (options.disturb != 0 && wanted.wrap_link == nullptr)
        wanted.usage = Error("--disturb: expected the program of the tests, mxk-cluster-test");
    auto started = Cluster::start(count, arguments, wanted);
    // One word is a line of commands as it stands.
    static std::string line;
    for (std::string_view const word : std::span(words).subspan(option_count))
        line.append(line.empty() ? "" : " ").append(word == "--" ? "" : word);
    if (!started) return arch::usage_exit_code;
    static std::unique_ptr<Cluster> cluster = std::move(started).value();
    cluster_of_program = cluster.get();
    if (std::getenv("MXK_CLUSTER_RUN") != nullptr) // tools/mxk cluster waits for it
        std::fprintf(stderr, "mxk-cluster: rank %u is process %lld\n", cluster->rank(),
                     static_cast<long long>(cluster->world().place(cluster->rank()).process));
    if (cluster->rank() != 0) {
        static RankLog log_sink(cluster->rank());
        log::set_sink(log_sink);
        cluster->run([](Worker&) { follow_orders(); });
        cluster_of_program = nullptr;
        cluster.reset();
        return 0;
    }
    static LogSink log_sink(true);
    log::set_sink(log_sink);
    arch::install_signal_handlers();
    static arch::SignalStack const stack;
    prefetching::set_calibrate(prefetching::Calibrate::No);
    std::atexit(&end_all);
    cluster->run([](Worker& worker) {
        bool const has_commands = !line.empty();
        prepare_console(worker, {.run_line = line, .partner = console::Partner::Script});
        if (has_commands)
            arch::close_terminal();
        else
            arch::open_terminal();
        worker.run(); // until `exit`, or the end of the input
    });
    return 0;
}

} // namespace

Cluster& the_cluster() {
    expect(cluster_of_program != nullptr, "the cluster has been started");
    return *cluster_of_program;
}

} // namespace mxk::cluster

int main(int count, char** arguments) {
    return mxk::cluster::run(count, arguments);
}
