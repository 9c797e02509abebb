// `bench table` on several ranks: operations per second on a table that is cut over all cores of the first so many
// ranks, by messages of many operations, by a task for each, and on a table of MPI's one-sided operations.
#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "base/splitmix.hpp"
#include "bench/frame/grid.hpp"
#include "kernel/clock.hpp"
#include "main/cluster/bench/table_orders.hpp"

namespace mxk::cluster {
namespace {

using bench::Axis;
using bench::Point;
using bench::Sample;

struct TableOptions : bench::RunOptions {
    constexpr TableOptions()
        : RunOptions{.repeat = 1, .warm_up = 1} {}

    std::uint64_t operations = 1'000'000;
    console::CountList ranks{};
    bench::NameSet<Way> ways{};
    std::uint64_t room = 0;
    std::uint64_t seed = 1;
    std::uint32_t tasks = 256;
};

constexpr auto table_schema = console::schema<TableOptions>(
    console::option<&TableOptions::ways>("submit", "batch, task, rma (none given: batch)"),
    console::option<&TableOptions::operations>("ops", "keys, each of which is inserted, found and erased",
                                               console::between(1, 1'000'000'000)),
    console::option<&TableOptions::ranks>("ranks", "how many take part (none given: all)", console::between(1, 4096)),
    console::option<&TableOptions::room>("initial-slots", "keys that there is room for from the start (0: it grows)",
                                         console::between(0, 4'000'000'000)),
    console::option<&TableOptions::tasks>("tasks", "of a core, under way at a time: task", console::between(1, 65536)),
    console::option<&TableOptions::seed>("seed", "of the keys"), bench::run_option::all);

class TableExperiment final : public bench::GridExperiment {
  public:
    using Options = TableOptions;
    static constexpr std::string_view name = "table";

    explicit TableExperiment(Options const& options)
        : options_(options) {
        if (options_.ways.empty()) options_.ways.add(Way::Batch);
    }
    Result<void> set_up() override {
        Cluster& cluster = the_cluster();
        if (options_.ranks.empty()) options_.ranks.add(cluster.ranks());
        for (std::uint32_t const ranks : options_.ranks.values())
            if (ranks > cluster.ranks())
                return Error::of("--ranks: expected up to {}, as many as were started, got {}", cluster.ranks(), ranks);
        ranks_ = options_.ranks.values();
        add(Axis::chosen("submit", 6, options_.ways));
        add(Axis::of("ranks", 5, ranks_, "table_ranks"));
        add(Axis::phases(Axis::of("operation", 9, phase_names, "mix")));
        return {};
    }

    [[nodiscard]] bench::Unit unit() const override { return bench::Unit::OperationsPerSecond; }
    Result<void> run_at(Point const& point, std::span<Sample> samples, bench::Progress& progress) override {
        TableRun const run{.operations = options_.operations,
                           .seed = splitmix(options_.seed),
                           .room = options_.room,
                           .ranks = ranks_[point[1]],
                           .other_ranks = ranks_[(point[1] + 1) % ranks_.size()],
                           .tasks = options_.tasks,
                           .way = bench::chosen_at(options_.ways, point[0])};
        Result<void> result = check(give<&begin_table>(begin_table_order, run));
        for (std::size_t phase = 0; phase < phase_names.size() && result; ++phase) {
            if (unsupported_at(point, static_cast<Phase>(phase))) continue;
            auto const all = give<&run_phase>(phase_order, static_cast<Phase>(phase));
            result = check(all);
            if (result) samples[phase] = sample_of(run, static_cast<Phase>(phase), all);
            if (result) result = progress.check();
        }
        static_cast<void>(give<&end_table>(end_table_order, run));
        return result;
    }
    [[nodiscard]] std::optional<Error> unsupported_at(Point const& point) const override {
        return unsupported_at(point, static_cast<Phase>(point[2]));
    }
    [[nodiscard]] std::optional<Error> unsupported_at(Point const& point, Phase phase) const {
        if (phase == Phase::Move && (ranks_.size() < 2 || bench::chosen_at(options_.ways, point[0]) == Way::Rma))
            return Error("keys move where --ranks has several numbers, and have owners");
        if (bench::chosen_at(options_.ways, point[0]) == Way::Rma && the_cluster().cores() > 1)
            return Error("one core of a rank only: it waits inside MPI");
        return std::nullopt;
    }
    [[nodiscard]] std::string_view failure() const override { return "a key was not found, or with another value"; }
    [[nodiscard]] std::size_t cores_of(bench::Row const& row) const override {
        return std::size_t{ranks_[point_of(row)[1]]} * the_cluster().cores();
    }

    [[nodiscard]] bool lists_findings() const override { return false; }
    void print_details(TextSink& out, bench::Row const& row) const override {
        auto const value = [&](std::string_view finding) { return bench::finding_of(row, finding).value_or(0); };
        if (value("messages") == 0) return;
        format(out,
               "  {:.0} operations in a message, {:.1} bytes each there and back; {:.1} % of the time in endpoints\n",
               value("operations_per_message"), value("bytes_per_remote_operation"), 100 * value("endpoint_share"));
    }

    void print_head(TextSink& out) const override {
        Cluster& cluster = the_cluster();
        format(out, "table of {} ranks, {} cores each: {} keys of 8 bytes with values of 8; {}; {} runs\n",
               cluster.ranks(), cluster.cores(), options_.operations, cluster.world().library(),
               options_.repeat.text().view());
        if (cluster.shares_processors())
            out.write("the ranks' cores share the processors of this host: this shows function, not speed\n");
    }

  protected:
    void write_options(JsonWriter& json, Point const& point) const override {
        Cluster& cluster = the_cluster();
        json.field("model", "ranks");
        json.field("layout", bench::chosen_at(options_.ways, point[0]) == Way::Rma ? "rma" : "bulk");
        json.field("mpi", std::string_view(cluster.world().library()));
        json.field("transport", cluster.world().transport());
        json.field("network", cluster.network().shape().endpoints == 1 ? "one" : "each");
        json.field("ranks", cluster.ranks());
        json.field("cores_per_rank", cluster.cores());
        json.field("cores", std::size_t{ranks_[point[1]]} * cluster.cores());
        json.field("shared_processors", cluster.shares_processors());
        json.field("operations", options_.operations);
        json.field("seed", options_.seed);
    }

  private:
    template <typename R> static Result<void> check(std::vector<R> const& all) {
        for (std::size_t rank = 0; rank < all.size(); ++rank)
            if (!all[rank].error.view().empty()) return Error::of("rank {}: {}", rank, all[rank].error.view());
        return {};
    }

    // Where all ranks are on one host they have one clock; else max of their times counts.
    static double seconds_of(std::span<PhaseResult const> all) {
        std::uint64_t first = ~std::uint64_t{0};
        std::uint64_t last = 0;
        std::uint64_t max_span = 0;
        for (PhaseResult const& its : all) {
            if (its.start == 0) continue;
            first = std::min(first, its.start);
            last = std::max(last, its.end);
            max_span = std::max(max_span, its.end - its.start);
        }
        Cluster& cluster = the_cluster();
        bool const one_clock = cluster.world().ranks_here() == cluster.ranks();
        return static_cast<double>(one_clock ? last - first : max_span) / static_cast<double>(clock::frequency());
    }

    Sample sample_of(TableRun const& run, Phase phase, std::vector<PhaseResult> const& all) const {
        Traffic traffic;
        std::uint64_t right = 0;
        std::uint64_t own_keys = 0;
        std::uint64_t moved = 0;
        for (PhaseResult const& its : all) {
            traffic += its.traffic;
            right += its.right;
            own_keys += its.own_keys;
            moved += its.moved;
        }
        double const seconds = seconds_of(all);
        if (phase == Phase::Move) {
            Sample sample{.value = static_cast<double>(moved) / seconds, .operations = moved};
            sample.verified = own_keys == run.operations;
            return sample;
        }
        Sample sample{.value = static_cast<double>(run.operations) / seconds, .operations = run.operations};
        std::uint64_t const keys_then = phase == Phase::Erase ? 0 : run.operations;
        sample.verified = right == run.operations && (run.way == Way::Rma || own_keys == keys_then);
        auto const by = [](std::uint64_t a, std::uint64_t b) {
            return b == 0 ? 0.0 : static_cast<double>(a) / static_cast<double>(b);
        };
        sample.findings.add("remote_operations", static_cast<double>(traffic.operations));
        sample.findings.add("messages", static_cast<double>(traffic.requests + traffic.replies));
        sample.findings.add("operations_per_message", by(traffic.operations, traffic.requests));
        sample.findings.add("bytes_per_remote_operation", by(traffic.bytes, traffic.operations));
        sample.findings.add("waited_for_credit", static_cast<double>(traffic.waited));
        sample.findings.add("endpoint_share", static_cast<double>(traffic.cycles) /
                                                  static_cast<double>(clock::frequency()) / seconds /
                                                  static_cast<double>(all.size()));
        return sample;
    }

    TableOptions options_;
    std::span<std::uint32_t const> ranks_; // of the options
};

constexpr auto table_benchmark = bench::benchmark<TableExperiment, table_schema>(
    {.summary = "a table cut over the cores of several ranks: insert, find, erase by messages",
     .notes = "Example: bench table --ops 1M --ranks 2,4 --submit batch,task,rma --repeat 5 --json\n"
              "Submit: many operations in a message (batch), a task for each (task), or MPI's one-sided\n"
              "operations on a table that nobody owns (rma), for comparison.\n"});
MXK_REGISTER(mxk_commands, console::Command, table_benchmark);

} // namespace
} // namespace mxk::cluster
