// wbab: a wait before each acquisition of one lock by all ranks, from none on (bench/lock/bodies.hpp).
#include <algorithm>

#include "main/mpi/bench/contended.hpp"

namespace mxk::mpi {

enum class WaitProgress : std::uint8_t { No, Yes };
constexpr auto value_names(WaitProgress) {
    return std::array{console::NamedValue{WaitProgress::No, "no"}, console::NamedValue{WaitProgress::Yes, "yes"}};
}

namespace {

struct WbabOptions : TimedOptions {
    console::CountList waits{0, 250, 1000, 4000, 16'000, 64'000};
    WaitProgress progress = WaitProgress::Yes;
};
constexpr auto wbab_schema = console::schema<WbabOptions>(
    bench_option::locks,
    console::option<&WbabOptions::waits>("wait", "nanoseconds of a rank's mean wait, by the number of ranks",
                                         console::between(0, 1'000'000)),
    console::option<&WbabOptions::progress>("progress", "whether a waiting rank calls MPI, and so serves others"),
    bench_option::seconds, bench_option::warm_up, bench_option::repeat, bench_option::passes, bench_option::look_every,
    bench_option::seed, bench_option::patience, bench_option::conservative, bench_option::json);

struct WbabSweep {
    static constexpr std::string_view name = "lock wbab";
    [[nodiscard]] std::size_t points() const { return options.waits.values().size(); }
    static constexpr std::size_t words(std::size_t /*ranks*/) { return bench::section_words; }
    template <typename Sections>
    bench::Turn run(std::size_t point, RankTeam& team, bench::UsedLock const& lock, bench::Timing const& timing,
                    RankWords& /*words*/, Sections& sections) const {
        return bench::run_wbab(team, lock, timing,
                               {.mean = Cycles{std::uint64_t{wait(point)} * team.workers()},
                                .makes_progress = options.progress == WaitProgress::Yes,
                                .seed = options.seed},
                               sections);
    }
    static bool is_right(bench::TeamOutcome const&, RankWords const&, std::size_t) { return true; }
    // Above what the waits alone would let the time from one section to the next be.
    void add_findings(std::size_t point, bench::TeamOutcome const& timed, bench::Findings& findings) const {
        findings.add("overhead_ns", timed.iteration_seconds(team_frequency) * 1e9 - static_cast<double>(wait(point)));
    }
    void print_point(TextSink& out, std::size_t point) const { format(out, "{:>9} ns", wait(point)); }
    void write_point(JsonWriter& json, std::size_t point) const {
        json.field("wait_ns", wait(point));
        json.field("progress", bench::name_of(options.progress));
    }
    [[nodiscard]] std::uint32_t wait(std::size_t point) const { return options.waits.values()[point]; }

    WbabOptions const& options;
};

constexpr Command wbab{.name = "wbab",
                       .summary = "sections per second of one lock by all ranks, which wait before each",
                       .run = [](Session& session, std::span<std::string_view const> arguments) -> Result<bool> {
                           WbabOptions options;
                           MXK_TRY(console::parse(arguments, wbab_schema, options));
                           WbabSweep const sweep{options};
                           return ContendedBench(session, options, sweep).run();
                       },
                       .help = [](TextSink& out) { console::print_help(out, wbab_schema, WbabOptions{}); }};
MXK_REGISTER(mxk_mpi_commands, Command, wbab);

} // namespace
} // namespace mxk::mpi
