// ccwb: work of which a growing part is critical, by all ranks under one lock (bench/lock/bodies.hpp).
#include "main/mpi/bench/contended.hpp"

namespace mxk::mpi {

enum class WorkMode : std::uint8_t { Partner, Shared };
constexpr auto value_names(WorkMode) {
    return std::array{console::NamedValue{WorkMode::Partner, "partner"},
                      console::NamedValue{WorkMode::Shared, "shared"}};
}

namespace {

struct CcwbOptions : TimedOptions {
    console::CountList critical{0, 1, 2, 3, 4, 5};
    WorkMode mode = WorkMode::Partner;
};
constexpr auto ccwb_schema = console::schema<CcwbOptions>(
    bench_option::locks,
    console::option<&CcwbOptions::critical>("k", "increments in the section",
                                            console::between(0, bench::max_critical_work)),
    console::option<&CcwbOptions::mode>("mode", "whose words are incremented in the section: those of the rank's "
                                                "partner, or the home's, by all"),
    bench_option::seconds, bench_option::warm_up, bench_option::repeat, bench_option::passes, bench_option::look_every,
    bench_option::seed, bench_option::patience, bench_option::conservative, bench_option::json);

struct CcwbSweep {
    static constexpr std::string_view name = "lock ccwb";
    [[nodiscard]] std::size_t points() const { return options.critical.values().size(); }
    static constexpr std::size_t words(std::size_t ranks) {
        return bench::Work::words(ranks, bench::max_critical_work);
    }
    template <typename Sections>
    bench::Turn run(std::size_t point, RankTeam& team, bench::UsedLock const& lock, bench::Timing const& timing,
                    RankWords& words, Sections& sections) const {
        bench::Work const work{
            .critical = critical(point), .is_shared = options.mode == WorkMode::Shared, .seed = options.seed};
        return bench::run_ccwb(team, lock, timing, work, words, sections);
    }
    static bool is_right(bench::TeamOutcome const& outcome, RankWords const& words, std::size_t ranks) {
        return bench::sum_of_increments(words, ranks) == outcome.increments;
    }
    static void add_findings(std::size_t, bench::TeamOutcome const&, bench::Findings&) {}
    void print_point(TextSink& out, std::size_t point) const { format(out, "{:>10} k", critical(point)); }
    void write_point(JsonWriter& json, std::size_t point) const {
        json.field("k", critical(point));
        json.field("mode", bench::name_of(options.mode));
    }
    [[nodiscard]] std::uint32_t critical(std::size_t point) const { return options.critical.values()[point]; }

    CcwbOptions const& options;
};

constexpr Command ccwb{.name = "ccwb",
                       .summary = "iterations per second of all ranks, whose work is in part critical",
                       .run = [](Session& session, std::span<std::string_view const> arguments) -> Result<bool> {
                           CcwbOptions options;
                           MXK_TRY(console::parse(arguments, ccwb_schema, options));
                           CcwbSweep const sweep{options};
                           return ContendedBench(session, options, sweep).run();
                       },
                       .help = [](TextSink& out) { console::print_help(out, ccwb_schema, CcwbOptions{}); }};
MXK_REGISTER(mxk_mpi_commands, Command, ccwb);

} // namespace
} // namespace mxk::mpi
