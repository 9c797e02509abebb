// upb: how long a lock that nobody else wants takes, by where it was last and where it is wanted
// (bench/lock/upb_body.hpp): two ranks of the home's node and two of another one take turns, and the others serve.
#include <algorithm>
#include <array>
#include <deque>
#include <string_view>
#include <vector>

#include "base/format.hpp"
#include "base/json_line.hpp"
#include "bench/lock/upb_body.hpp"
#include "main/mpi/bench/lock_bench.hpp"
#include "main/mpi/bench/team.hpp"
#include "main/mpi/kinds.hpp"
#include "main/mpi/placed_lock.hpp"
#include "main/mpi/watchdog.hpp"

namespace mxk::mpi {
namespace {

struct UpbOptions : BenchOptions {
    std::uint64_t locks_per_run = 1000;
};
constexpr auto upb_schema = console::schema<UpbOptions>(
    bench_option::locks,
    console::option<&UpbOptions::locks_per_run>("locks", "of a run, each used once for each row",
                                                console::between(1, 100'000)),
    bench_option::repeat, bench_option::passes, bench_option::patience, bench_option::conservative, bench_option::json);

// A window takes what there are some thousands of (communicators), and memory in each rank.
constexpr std::size_t max_windows = 200;

// Rows as people read them: by who wants the lock, then by who had it.
constexpr std::array<std::string_view, bench::upb_scenarios> row_scenarios{"1a", "2a", "3a", "1b", "2b",
                                                                           "3b", "1c", "2c", "3c"};

class UpbBench {
  public:
    UpbBench(Session& session, UpbOptions const& options)
        : session_(session)
        , options_(options) {}

    Result<bool> run() {
        Rank const of_node = session_.world.ranks() / static_cast<Rank>(session_.nodes());
        if (session_.nodes() < 2 || of_node < 2)
            return Error::of("upb: expected two nodes or more, of two ranks or more, got {} of {}", session_.nodes(),
                             of_node);
        auto const kinds = MXK_TRY(lock_kinds(options_.locks));
        session_.transport.set_modes({.writes_atomically = options_.conservative});
        std::vector<Rows> rows(kinds.size());
        for (std::uint64_t round = 0; round < options_.repeat; ++round) {
            for (std::size_t i = 0; i < kinds.size(); ++i) {
                std::size_t const at = (i + round) % kinds.size();
                if (!measure(*kinds[at], rows[at]))
                    return Error::of("upb: expected regions that have room for {} locks {}: --region",
                                     count(*kinds[at]), kinds[at]->name);
            }
        }
        session_.transport.set_modes({});
        format(session_.out,
               "lock upb: {} ranks on {} pretended nodes, {}; {} locks, {} runs\n"
               "1, 2, 3: last had by the same rank, its node, another one; a, b, c: wanted at the home, on its node, "
               "elsewhere\n",
               session_.world.ranks(), session_.nodes(), session_.library.version, options_.locks_per_run,
               options_.repeat);
        format(session_.out, "{:<18} {:>8} {:>10} {:>10} {:>10} {:>6} {:>6} {:>6} {:>6}\n", "lock", "scenario",
               "median ns", "min", "max", "home", "others", "near", "msg");
        bool is_right = true;
        for (std::size_t at = 0; at < kinds.size(); ++at) {
            report(*kinds[at], rows[at]);
            is_right = is_right && rows[at].wrong == 0;
        }
        return is_right;
    }

  private:
    struct Rows {
        std::array<std::vector<double>, bench::upb_scenarios> nanoseconds;
        std::array<locks::OneSidedCounts, bench::upb_scenarios> operations{}; // of the last run
        std::uint64_t wrong = 0;
    };

    // A worker of the benchmark: the first two ranks of the first two nodes; the others have the numbers behind them.
    [[nodiscard]] locks::WorkerNumber worker_of(Rank rank) const {
        Rank const of_node = session_.world.ranks() / static_cast<Rank>(session_.nodes());
        Rank const node = rank / of_node;
        if (node < 2 && rank % of_node < 2) return 2 * node + rank % of_node;
        return bench::upb_workers + rank;
    }
    [[nodiscard]] std::size_t count(locks::LockKind const& kind) const {
        return kind.name == "mpi-window" ? std::min<std::size_t>(options_.locks_per_run, max_windows)
                                         : options_.locks_per_run;
    }

    // Whether the regions are large enough.
    bool measure(locks::LockKind const& kind, Rows& rows) {
        Watchdog watchdog(session_.world.rank(), kind.name, options_.patience, options_.json);
        std::size_t const locks = count(kind);
        bench::UpbTurn timed;
        if (!run_once(kind, [&](RankTeam& team, auto const& lock_at, RankWords&) {
                timed = bench::run_upb(team, locks, lock_at);
            }))
            return false;
        bench::UpbTurn checked;
        if (!run_once(kind, [&](RankTeam& team, auto const& lock_at, RankWords& words) {
                checked = bench::check_upb(team, locks, lock_at, words);
            }))
            return false;
        rows.wrong += session_.sum(checked.wrong);
        auto const turns = gather_turns(session_, timed);
        for (std::size_t step = 0; step < bench::upb_scenarios; ++step) {
            auto const row = static_cast<std::size_t>(
                std::find(row_scenarios.begin(), row_scenarios.end(), bench::upb_steps[step].scenario) -
                row_scenarios.begin());
            for (Rank rank = 0; rank < session_.world.ranks(); ++rank) {
                if (worker_of(rank) != bench::upb_steps[step].worker) continue;
                auto const elapsed = static_cast<double>(raw(turns[rank].elapsed[step]));
                rows.nanoseconds[row].push_back(elapsed / static_cast<double>(locks));
                rows.operations[row] = turns[rank].operations[step];
            }
        }
        return true;
    }

    template <typename Body> bool run_once(locks::LockKind const& kind, Body const& body) {
        auto& transport = session_.transport;
        transport.forget_locks();
        RankTeam team(session_, worker_of(session_.world.rank()));
        RankWords words(session_, count(kind));
        {
            std::deque<PlacedLock> locks;
            for (std::size_t i = 0; i < count(kind) && !transport.has_failed(); ++i)
                locks.emplace_back(transport, kind.forms.mpi, 0, static_cast<locks::Handed>(options_.passes));
            if (transport.has_failed()) return false;
            body(
                team, [&](std::size_t at) { return locks[at].used(); }, words);
            team.barrier();
        }
        team.barrier();
        return true;
    }

    void report(locks::LockKind const& kind, Rows& rows) {
        for (std::size_t row = 0; row < bench::upb_scenarios; ++row) {
            bench::Summary const summary = bench::summarise(rows.nanoseconds[row]);
            auto const per_lock = [&](std::uint64_t number) {
                return static_cast<double>(number) / static_cast<double>(count(kind));
            };
            bench::Findings findings;
            findings.add("operations_home", per_lock(rows.operations[row].home));
            findings.add("operations_others", per_lock(rows.operations[row].others));
            findings.add("operations_near", per_lock(rows.operations[row].near));
            findings.add("messages", per_lock(rows.operations[row].messages));
            format(session_.out, "{:<18} {:>8} {:>10.0} {:>10.0} {:>10.0} {:>6.2} {:>6.2} {:>6.2} {:>6.2}{}\n",
                   kind.name, row_scenarios[row], summary.median, summary.minimum, summary.maximum,
                   found(findings, "operations_home"), found(findings, "operations_others"),
                   found(findings, "operations_near"), found(findings, "messages"),
                   rows.wrong == 0 ? "" : "  WRONG LAST OWNER");
            if (!options_.json) continue;
            JsonLine line(session_.out);
            write_settings(line.json(), session_, "lock upb", kind, options_);
            line.json().field("scenario", row_scenarios[row]);
            line.json().field("locks", count(kind));
            line.json().field("count", count(kind));
            write_results(line.json(), "nanoseconds", summary, findings, rows.wrong == 0);
            line.end();
        }
        session_.out.flush();
    }

    Session& session_;
    UpbOptions const& options_;
};

constexpr Command upb{.name = "upb",
                      .summary = "nanoseconds of a free lock, by where it was last and where it is wanted",
                      .run = [](Session& session, std::span<std::string_view const> arguments) -> Result<bool> {
                          UpbOptions options;
                          MXK_TRY(console::parse(arguments, upb_schema, options));
                          return UpbBench(session, options).run();
                      },
                      .help = [](TextSink& out) { console::print_help(out, upb_schema, UpbOptions{}); }};
MXK_REGISTER(mxk_mpi_commands, Command, upb);

} // namespace
} // namespace mxk::mpi
