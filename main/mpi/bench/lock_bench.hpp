// What the lock benchmarks over MPI have in common: what they can be told, and the fields and columns that a row has as
// in the kernel's benchmarks (bench/lock/).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "bench/frame/names.hpp"
#include "bench/frame/statistics.hpp"
#include "kernel/console/options.hpp"
#include "locks/lock_kind.hpp"
#include "main/mpi/session.hpp"

namespace mxk::mpi {

struct BenchOptions {
    std::string_view locks{};
    std::uint64_t passes = locks::default_passes;
    std::uint64_t repeat = 5;
    std::uint64_t seed = 1;
    std::uint64_t patience = 120;
    bool conservative = false;
    bool json = false;
};
struct TimedOptions : BenchOptions {
    double seconds = 0.1;
    std::uint64_t warm_up = 10;
    std::uint64_t look_every = 1;
};
namespace bench_option {
constexpr auto locks = console::option<&BenchOptions::locks>("lock", "kinds, with commas between (none given: some)");
constexpr auto passes = console::option<&BenchOptions::passes>(
    "passes", "how often a lock may stay within a node while others wait", console::between(1, locks::max_passes));
constexpr auto repeat = console::option<&BenchOptions::repeat>("repeat", "runs for each row", console::between(1, 64));
constexpr auto seed = console::option<&BenchOptions::seed>("seed", "of what is drawn");
constexpr auto patience =
    console::option<&BenchOptions::patience>("patience", "seconds until a run hangs", console::between(1, 3600));
constexpr auto conservative =
    console::flag<&BenchOptions::conservative>("conservative", "atomic operations in place of plain stores");
constexpr auto json = console::flag<&BenchOptions::json>("json", "one line per row for tools");
constexpr auto seconds = console::option<&TimedOptions::seconds>("seconds", "of a run", console::between(0.001, 60));
constexpr auto warm_up = console::option<&TimedOptions::warm_up>("warm-up", "percent of a run that are not counted",
                                                                 console::between(0, 90));
constexpr auto look_every = console::option<&TimedOptions::look_every>(
    "look-every", "iterations of a rank between two looks at the clock", console::between(1, 1'000'000));
} // namespace bench_option

// A row: a lock at a point of a sweep, in one phase; one value for each run, and what else was found.
struct BenchRow {
    locks::LockKind const* kind = nullptr;
    std::size_t point = 0;
    std::size_t phase = 0;
    std::vector<double> values{};
    std::vector<bench::Findings> findings{};
    bool is_right = true;

    void add(double value, bench::Findings const& found, bool was_right) {
        values.push_back(value);
        findings.push_back(found);
        is_right = is_right && was_right;
    }
};

// A benchmark of all ranks: locks and the points of a sweep are configurations, which take turns.
class RankBench {
  public:
    RankBench(RankBench const&) = delete;
    RankBench& operator=(RankBench const&) = delete;
    // Collective. Whether every lock was right.
    Result<bool> run();

  protected:
    // All live on.
    RankBench(std::string_view name, Session& session, BenchOptions const& options)
        : name_(name)
        , session_(session)
        , options_(options) {}
    ~RankBench() = default;
    [[nodiscard]] Session& session() const { return session_; }

    [[nodiscard]] virtual std::size_t points() const { return 1; }
    [[nodiscard]] virtual std::size_t phases() const { return 1; }
    [[nodiscard]] virtual std::string_view unit() const = 0;    // of values, as it is called in results
    [[nodiscard]] virtual std::string_view failure() const = 0; // stands behind a row that is not right
    // One run, a value for each row: the phases of a configuration. False: the regions are too small.
    virtual bool measure(locks::LockKind const& kind, std::size_t point, std::span<BenchRow> rows) = 0;
    // The rest of the first line, and the table's heading; a row's point; and what stands behind its three values.
    virtual void print_head(TextSink& out) const = 0;
    virtual void print_label(TextSink& out, BenchRow const& row) const = 0;
    virtual void print_more(TextSink& out, bench::Summary const& summary, bench::Findings const& findings) const = 0;
    virtual void write_options(JsonWriter& json, BenchRow const& row) const = 0;

    // 0 if it is not there.
    static double found(bench::Findings const& findings, std::string_view name);

  private:
    void report(BenchRow& row);

    std::string_view name_;
    Session& session_;
    BenchOptions const& options_;
};

// Of a command.
template <typename Options, auto const& schema, auto run>
Result<bool> run_bench(Session& session, std::span<std::string_view const> arguments) {
    Options options;
    MXK_TRY(console::parse(arguments, schema, options));
    return run(session, options);
}
template <typename Options, auto const& schema> void print_bench_help(TextSink& out) {
    console::print_help(out, schema, Options{});
}

} // namespace mxk::mpi
