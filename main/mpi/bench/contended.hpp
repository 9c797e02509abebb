// One lock, wanted by all ranks: locks and the points of a sweep are configurations, which take turns. A run makes the
// lock anew and times it; then it makes another one, and lets sections find out whether it keeps others out, for a
// quarter of the time (bench/lock/bodies.hpp). A sweep has
//
//     static constexpr std::string_view name;
//     std::size_t points() const;
//     std::size_t words(std::size_t ranks) const;           // of each rank, for the sections
//     Turn run(std::size_t point, RankTeam& team, UsedLock const& lock, Timing const& timing, RankWords& words,
//              auto& sections) const;
//     bool is_right(bench::TeamOutcome const& outcome, RankWords const& words, std::size_t ranks) const;
//     void add_findings(std::size_t point, bench::TeamOutcome const& timed, bench::Findings& findings) const;
//     void print_point(TextSink& out, std::size_t point) const;
//     void write_point(JsonWriter& json, std::size_t point) const;
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/format.hpp"
#include "base/json_line.hpp"
#include "bench/lock/bodies.hpp"
#include "bench/lock/turn_statistics.hpp"
#include "main/mpi/bench/lock_bench.hpp"
#include "main/mpi/bench/team.hpp"
#include "main/mpi/kinds.hpp"
#include "main/mpi/placed_lock.hpp"
#include "main/mpi/watchdog.hpp"

namespace mxk::mpi {

template <typename Sweep> class ContendedBench {
  public:
    ContendedBench(Session& session, TimedOptions const& options, Sweep const& sweep)
        : session_(session)
        , options_(options)
        , sweep_(sweep) {}

    // Collective. Whether every lock has kept others out.
    Result<bool> run() {
        auto const kinds = MXK_TRY(lock_kinds(options_.locks));
        session_.transport.set_modes({.writes_atomically = options_.conservative});
        std::vector<Row> rows(kinds.size() * sweep_.points());
        for (std::uint64_t round = 0; round < options_.repeat; ++round) {
            for (std::size_t i = 0; i < rows.size(); ++i) {
                std::size_t const at = (i + round) % rows.size(); // none is always first
                if (!measure(*kinds[at / sweep_.points()], at % sweep_.points(), rows[at]))
                    return Error::of("{}: expected regions that have room for the lock and its words: --region",
                                     Sweep::name);
            }
        }
        session_.transport.set_modes({});
        print_head();
        bool is_right = true;
        for (std::size_t at = 0; at < rows.size(); ++at) {
            report(*kinds[at / sweep_.points()], at % sweep_.points(), rows[at]);
            is_right = is_right && rows[at].is_right;
        }
        return is_right;
    }

  private:
    struct Row {
        std::vector<double> rates;
        std::vector<bench::Findings> findings;
        bool is_right = true;
    };
    struct Ended {
        bench::TeamOutcome outcome{};
        bool is_right = false;
        bool had_room = false;
    };

    // Whether the regions are large enough.
    bool measure(locks::LockKind const& kind, std::size_t point, Row& row) {
        auto const patience = options_.patience + static_cast<std::uint64_t>(2 * options_.seconds);
        Watchdog watchdog(session_.world.rank(), kind.name, patience, options_.json);
        watchdog.says("measuring");
        Ended const timed = run_once(kind, point, options_.seconds, false);
        watchdog.says("looking whether the lock keeps others out");
        Ended const watched = run_once(kind, point, options_.seconds / 4, true);
        if (!timed.had_room || !watched.had_room) return false;
        row.is_right = row.is_right && timed.is_right && watched.is_right;
        row.rates.push_back(1 / timed.outcome.iteration_seconds(team_frequency));
        bench::Findings& findings = row.findings.emplace_back();
        bench::add_findings(
            findings,
            {.timed = timed.outcome, .watched = watched.outcome, .frequency = team_frequency, .has_operations = true});
        sweep_.add_findings(point, timed.outcome, findings);
        return true;
    }

    Ended run_once(locks::LockKind const& kind, std::size_t point, double seconds, bool is_watched) {
        auto& transport = session_.transport;
        transport.forget_locks();
        RankTeam team(session_);
        RankWords words(session_, sweep_.words(team.workers()));
        Ended ended;
        {
            PlacedLock lock(transport, kind.forms.mpi, 0, static_cast<locks::Handed>(options_.passes));
            if (transport.has_failed()) return ended; // of all ranks, or of none
            ended.had_room = true;
            bench::UsedLock const used = lock.used();
            double const warm_up = seconds * static_cast<double>(options_.warm_up) / 100;
            bench::Timing const timing{.warm_up = Cycles{static_cast<std::uint64_t>(warm_up * 1e9)},
                                       .measured = Cycles{static_cast<std::uint64_t>((seconds - warm_up) * 1e9)},
                                       .iterations_per_look = static_cast<std::uint32_t>(options_.look_every)};
            bench::Turn turn;
            if (is_watched) {
                bench::WatchedSections sections(team, words);
                turn = sweep_.run(point, team, used, timing, words, sections);
            } else {
                bench::PlainSections sections;
                turn = sweep_.run(point, team, used, timing, words, sections);
            }
            auto const turns = gather_turns(session_, turn);
            std::vector<double> scratch(turns.size());
            ended.outcome = bench::TeamOutcome::of(turns, scratch);
            ended.is_right = words.get(0, bench::section_count_word) == ended.outcome.sections.all &&
                             sweep_.is_right(ended.outcome, words, team.workers());
            team.barrier();
        }
        team.barrier();
        return ended;
    }

    void print_head() {
        format(session_.out, "{}: {} ranks on {} pretended nodes, {}; {} runs of {:.3} s\n", Sweep::name,
               session_.world.ranks(), session_.nodes(), session_.library.version, options_.repeat, options_.seconds);
        format(session_.out, "{:<18} {:>12} {:>10} {:>10} {:>10} {:>7} {:>7} {:>6} {:>6} {:>6} {:>6} {:>6}\n", "lock",
               "point", "median/s", "min/s", "max/s", "us", "CV %", "wait %", "home", "others", "near", "msg");
    }

    void report(locks::LockKind const& kind, std::size_t point, Row& row) {
        auto& out = session_.out;
        bench::Findings const& findings = row.findings[place_of_median(row.rates)];
        bench::Summary const rates = bench::summarise(row.rates);
        format(out, "{:<18} ", kind.name);
        sweep_.print_point(out, point);
        format(out, " {:>10.0} {:>10.0} {:>10.0} {:>7.1} {:>7.1} {:>6.1} {:>6.2} {:>6.2} {:>6.2} {:>6.2}{}\n",
               rates.median, rates.minimum, rates.maximum, 1e6 / rates.median, found(findings, "variation_pct"),
               found(findings, "contention_pct"), found(findings, "operations_home"),
               found(findings, "operations_others"), found(findings, "operations_near"), found(findings, "messages"),
               row.is_right ? "" : "  VIOLATED");
        if (options_.json) {
            JsonLine line(out);
            write_settings(line.json(), session_, Sweep::name, kind, options_);
            line.json().field("ms", options_.seconds * 1000);
            line.json().field("warm_up_pct", options_.warm_up);
            line.json().field("look_every", options_.look_every);
            sweep_.write_point(line.json(), point);
            write_results(line.json(), "throughput", rates, findings, row.is_right);
            line.end();
        }
        out.flush();
    }

    Session& session_;
    TimedOptions const& options_;
    Sweep const& sweep_;
};

} // namespace mxk::mpi
