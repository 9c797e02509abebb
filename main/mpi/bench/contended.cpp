// ecsb, wbab, ccwb: one lock, wanted by all ranks (bench/lock/sweeps.hpp). A run makes the lock anew and times it; then
// it makes another one, and lets sections find out whether it keeps others out, for a quarter of the time.
#include <span>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "bench/lock/sweeps.hpp"
#include "main/mpi/bench/lock_bench.hpp"
#include "main/mpi/bench/rank_team.hpp"
#include "main/mpi/placed_lock.hpp"
#include "main/mpi/watchdog.hpp"

namespace mxk::mpi {
namespace {

template <typename Sweep> class ContendedBench final : public RankBench {
  public:
    ContendedBench(Session& session, TimedOptions const& options, Sweep const& sweep)
        : RankBench(Sweep::name, session, options)
        , options_(options)
        , sweep_(sweep) {}

  private:
    struct Ended {
        bench::TeamOutcome outcome{};
        bool is_right = false;
        bool had_room = false;
    };

    [[nodiscard]] std::size_t points() const override { return Sweep::heading.empty() ? 1 : sweep_.values().size(); }
    [[nodiscard]] std::string_view unit() const override { return "throughput"; }
    [[nodiscard]] std::string_view failure() const override { return "VIOLATED"; }

    bool measure(locks::LockKind const& kind, std::size_t point, std::span<BenchRow> rows) override {
        auto const patience = options_.patience + static_cast<std::uint64_t>(2 * options_.seconds);
        Watchdog watchdog(session().world.rank(), kind.name, patience, options_.json);
        watchdog.says("measuring");
        Ended const timed = run_once(kind, point, options_.seconds, false);
        watchdog.says("looking whether the lock keeps others out");
        Ended const watched = run_once(kind, point, options_.seconds / 4, true);
        if (!timed.had_room || !watched.had_room) return false;
        double const seconds = timed.outcome.iteration_seconds(team_frequency);
        bench::Findings findings;
        bench::add_findings(findings, {.timed = timed.outcome,
                                       .watched = watched.outcome,
                                       .frequency = team_frequency,
                                       .has_operations = true,
                                       .has_caches = kind.forms.mpi.has_caches});
        sweep_.add_findings(point, seconds, findings);
        rows[0].add(1 / seconds, findings, timed.is_right && watched.is_right);
        return true;
    }

    Ended run_once(locks::LockKind const& kind, std::size_t point, double seconds, bool is_watched) {
        auto& transport = session().transport;
        transport.forget_locks();
        RankTeam team(session());
        RankWords words(session(), Sweep::words(team.workers()));
        Ended ended;
        {
            PlacedLock lock(transport, kind.forms.mpi, 0, static_cast<locks::Handed>(options_.passes));
            if (transport.has_failed()) return ended; // of all ranks, or of none
            ended.had_room = true;
            double const warm_up = seconds * static_cast<double>(options_.warm_up) / 100;
            bench::Timing const timing{.warm_up = Cycles{static_cast<std::uint64_t>(warm_up * 1e9)},
                                       .measured = Cycles{static_cast<std::uint64_t>((seconds - warm_up) * 1e9)},
                                       .iterations_per_look = static_cast<std::uint32_t>(options_.look_every)};
            bench::PlainSections plain;
            bench::WatchedSections watched(team, words);
            bench::Turn const turn = is_watched ? sweep_.run(point, team, lock.used(), timing, words, watched)
                                                : sweep_.run(point, team, lock.used(), timing, words, plain);
            auto const turns = gather_turns(session(), turn);
            std::vector<double> scratch(turns.size());
            ended.outcome = bench::TeamOutcome::of(turns, scratch);
            ended.is_right = words.get(0, bench::section_count_word) == ended.outcome.sections.all &&
                             Sweep::is_right(ended.outcome, words, team.workers());
            team.barrier();
        }
        team.barrier();
        return ended;
    }

    void print_head(TextSink& out) const override {
        format(out, "; {} runs of {:.3} s\n{:<18} {:>12} {:>10} {:>10} {:>10} {:>7} {:>7} {:>6}", options_.repeat,
               options_.seconds, "lock", "point", "median/s", "min/s", "max/s", "us", "CV %", "wait %");
    }
    void print_label(TextSink& out, BenchRow const& row) const override {
        if (Sweep::heading.empty())
            format(out, "{:>12}", "");
        else
            format(out, "{:>7} {:>4}", sweep_.values()[row.point], Sweep::heading);
    }
    void print_more(TextSink& out, bench::Summary const& summary, bench::Findings const& findings) const override {
        format(out, " {:>7.1} {:>7.1} {:>6.1}", 1e6 / summary.median, found(findings, "variation_pct"),
               found(findings, "contention_pct"));
    }
    void write_options(JsonWriter& json, BenchRow const& row) const override {
        json.field("ms", options_.seconds * 1000);
        json.field("warm_up_pct", options_.warm_up);
        json.field("look_every", options_.look_every);
        sweep_.write_point(json, row.point);
    }

    TimedOptions const& options_;
    Sweep sweep_;
};

using bench::WaitChoice, bench::WorkChoice;

template <typename Options, auto const& schema, auto sweep_of> constexpr Command contended(std::string_view summary) {
    using Sweep = decltype(sweep_of(std::declval<Options const&>()));
    return {.name = Sweep::name.substr(Sweep::name.find(' ') + 1),
            .summary = summary,
            .run = &run_bench<Options, schema,
                              [](Session& session, Options const& options) {
                                  return ContendedBench(session, options, sweep_of(options)).run();
                              }>,
            .help = &print_bench_help<Options, schema>};
}

constexpr auto ecsb_schema = console::schema<TimedOptions>(
    bench_option::locks, bench_option::seconds, bench_option::warm_up, bench_option::repeat, bench_option::passes,
    bench_option::look_every, bench_option::patience, bench_option::conservative, bench_option::json);
constexpr Command ecsb = contended<TimedOptions, ecsb_schema, [](TimedOptions const&) { return bench::EmptySweep{}; }>(
    "empty critical sections per second, of one lock by all ranks");
MXK_REGISTER(mxk_mpi_commands, Command, ecsb);

struct WbabOptions : TimedOptions, WaitChoice {
    constexpr WbabOptions()
        : WaitChoice{.waits = {0, 250, 1000, 4000, 16'000, 64'000}} {}
};
constexpr auto wbab_schema = console::schema<WbabOptions>(
    bench_option::locks, bench::sweep_option::waits, bench::sweep_option::progress, bench_option::seconds,
    bench_option::warm_up, bench_option::repeat, bench_option::passes, bench_option::look_every, bench_option::seed,
    bench_option::patience, bench_option::conservative, bench_option::json);
constexpr Command wbab = contended<WbabOptions, wbab_schema, [](WbabOptions const& options) {
    return bench::WaitSweep{options, options.seed};
}>("sections per second of one lock by all ranks, which wait before each");
MXK_REGISTER(mxk_mpi_commands, Command, wbab);

struct CcwbOptions : TimedOptions, WorkChoice {};
constexpr auto ccwb_schema = console::schema<CcwbOptions>(
    bench_option::locks, bench::sweep_option::critical, bench::sweep_option::mode, bench_option::seconds,
    bench_option::warm_up, bench_option::repeat, bench_option::passes, bench_option::look_every, bench_option::seed,
    bench_option::patience, bench_option::conservative, bench_option::json);
constexpr Command ccwb = contended<CcwbOptions, ccwb_schema, [](CcwbOptions const& options) {
    return bench::WorkSweep{options, options.seed};
}>("iterations per second of all ranks, whose work is in part critical");
MXK_REGISTER(mxk_mpi_commands, Command, ccwb);

} // namespace
} // namespace mxk::mpi
