// ecsb: nothing but acquisitions of one lock by all ranks (bench/lock/bodies.hpp).
#include "main/mpi/bench/contended.hpp"

namespace mxk::mpi {
namespace {

constexpr auto ecsb_schema = console::schema<TimedOptions>(
    bench_option::locks, bench_option::seconds, bench_option::warm_up, bench_option::repeat, bench_option::passes,
    bench_option::look_every, bench_option::patience, bench_option::conservative, bench_option::json);

struct EcsbSweep {
    static constexpr std::string_view name = "lock ecsb";
    static constexpr std::size_t points() { return 1; }
    static constexpr std::size_t words(std::size_t /*ranks*/) { return bench::section_words; }
    template <typename Sections>
    static bench::Turn run(std::size_t /*point*/, RankTeam& team, bench::UsedLock const& lock,
                           bench::Timing const& timing, RankWords& /*words*/, Sections& sections) {
        return bench::run_ecsb(team, lock, timing, sections);
    }
    static bool is_right(bench::TeamOutcome const&, RankWords const&, std::size_t) { return true; }
    static void add_findings(std::size_t, bench::TeamOutcome const&, bench::Findings&) {}
    static void print_point(TextSink& out, std::size_t) { format(out, "{:>12}", ""); }
    static void write_point(JsonWriter& /*json*/, std::size_t) {}
};

constexpr Command ecsb{.name = "ecsb",
                       .summary = "empty critical sections per second, of one lock by all ranks",
                       .run = [](Session& session, std::span<std::string_view const> arguments) -> Result<bool> {
                           TimedOptions options;
                           MXK_TRY(console::parse(arguments, ecsb_schema, options));
                           EcsbSweep const sweep;
                           return ContendedBench(session, options, sweep).run();
                       },
                       .help = [](TextSink& out) { console::print_help(out, ecsb_schema, TimedOptions{}); }};
MXK_REGISTER(mxk_mpi_commands, Command, ecsb);

} // namespace
} // namespace mxk::mpi
