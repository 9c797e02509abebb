// upb: how long a lock that nobody else wants takes, by where it was last and where it is wanted
// (bench/lock/upb_body.hpp): two ranks of the home's node and two of another one take turns, and the others serve.
#include <algorithm>
#include <deque>
#include <span>
#include <string_view>

#include "base/format.hpp"
#include "bench/lock/turn_statistics.hpp"
#include "bench/lock/upb_body.hpp"
#include "main/mpi/bench/lock_bench.hpp"
#include "main/mpi/bench/rank_team.hpp"
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

class UpbBench final : public RankBench {
  public:
    UpbBench(Session& session, UpbOptions const& options)
        : RankBench("lock upb", session, options)
        , options_(options) {}

  private:
    // A worker of the benchmark: the first two ranks of the first two nodes; the others have the numbers behind them.
    [[nodiscard]] locks::WorkerNumber worker_of(Rank rank) const {
        Rank const of_node = session().world.ranks() / static_cast<Rank>(session().nodes());
        Rank const node = rank / of_node;
        if (node < 2 && rank % of_node < 2) return 2 * node + rank % of_node;
        return bench::upb_workers + rank;
    }
    [[nodiscard]] std::size_t count(locks::LockKind const& kind) const {
        return kind.name == "mpi-window" ? std::min<std::size_t>(options_.locks_per_run, max_windows)
                                         : options_.locks_per_run;
    }

    bool measure(locks::LockKind const& kind, std::size_t /*point*/, std::span<BenchRow> rows) override {
        Watchdog watchdog(session().world.rank(), kind.name, options_.patience, options_.json);
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
        bool const is_right = session().sum(checked.wrong) == 0;
        auto const turns = gather_turns(session(), timed);
        for (BenchRow& row : rows) {
            std::size_t const step = bench::upb_step_of(row.phase);
            Rank rank = 0;
            while (worker_of(rank) != bench::upb_steps[step].worker) ++rank;
            bench::Findings findings;
            bench::add_operations(findings, turns[rank].operations[step], locks);
            auto const elapsed = static_cast<double>(raw(turns[rank].elapsed[step]));
            row.add(elapsed / static_cast<double>(locks), findings, is_right);
        }
        return true;
    }

    template <typename Body> bool run_once(locks::LockKind const& kind, Body const& body) {
        auto& transport = session().transport;
        transport.forget_locks();
        RankTeam team(session(), worker_of(session().world.rank()));
        RankWords words(session(), count(kind));
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

    [[nodiscard]] std::size_t phases() const override { return bench::upb_scenarios; }
    [[nodiscard]] std::string_view unit() const override { return "nanoseconds"; }
    [[nodiscard]] std::string_view failure() const override { return "WRONG LAST OWNER"; }
    void print_head(TextSink& out) const override {
        format(out,
               "; {} locks, {} runs\n"
               "1, 2, 3: last had by the same rank, its node, another one; a, b, c: wanted at the home, on its node, "
               "elsewhere\n{:<18} {:>8} {:>10} {:>10} {:>10}",
               options_.locks_per_run, options_.repeat, "lock", "scenario", "median ns", "min", "max");
    }
    void print_label(TextSink& out, BenchRow const& row) const override {
        format(out, "{:>8}", bench::upb_rows[row.phase]);
    }
    void print_more(TextSink&, bench::Summary const&, bench::Findings const&) const override {}
    void write_options(JsonWriter& json, BenchRow const& row) const override {
        json.field("scenario", bench::upb_rows[row.phase]);
        json.field("locks", count(*row.kind));
        json.field("count", count(*row.kind));
    }

    UpbOptions const& options_;
};

Result<bool> run_upb(Session& session, UpbOptions const& options) {
    Rank const of_node = session.world.ranks() / static_cast<Rank>(session.nodes());
    if (session.nodes() < 2 || of_node < 2)
        return Error::of("upb: expected two nodes or more, of two ranks or more, got {} of {}", session.nodes(),
                         of_node);
    return UpbBench(session, options).run();
}

constexpr Command upb{.name = "upb",
                      .summary = "nanoseconds of a free lock, by where it was last and where it is wanted",
                      .run = &run_bench<UpbOptions, upb_schema, &run_upb>,
                      .help = &print_bench_help<UpbOptions, upb_schema>};
MXK_REGISTER(mxk_mpi_commands, Command, upb);

} // namespace
} // namespace mxk::mpi
