// `bench list`: operations per second on one sorted list by all cores of a set (list_run.hpp), by ways to protect it. A
// configuration is a way on a set of cores.
#include <array>

#include "bench/frame/grid.hpp"
#include "bench/frame/names.hpp"
#include "bench/rcu/list_figure.hpp"
#include "bench/rcu/list_protection.hpp"
#include "bench/rcu/list_run.hpp"

namespace mxk::bench {

enum class ListKind : std::uint8_t { Rcu, Spin, Ticket, ReaderWriter };

// As they are typed and as they stand in results.
constexpr auto value_names(ListKind) {
    using Named = console::NamedValue<ListKind>;
    return std::array{Named{ListKind::Rcu, "rcu"}, Named{ListKind::Spin, "spin"}, Named{ListKind::Ticket, "ticket"},
                      Named{ListKind::ReaderWriter, "rwlock"}};
}

namespace {

struct ListOptions : CoreSetOptions {
    constexpr ListOptions()
        : CoreSetOptions{{.repeat = 5}, {}} {}
    NameSet<ListKind> kinds{};
    std::uint64_t keys = 100;
    std::uint32_t update_percent = 10;
    Distribution distribution{};
    std::uint32_t milliseconds = 20;
    std::uint64_t seed = 1;
    bool figure = false;
    std::uint32_t max_runs = max_figure_runs;
};

constexpr auto list_schema = console::schema<ListOptions>(
    console::option<&ListOptions::kinds>("kind", "rcu, spin, ticket, rwlock (none given: all)"), core_set_option::cores,
    console::option<&ListOptions::keys>("keys", "in the list", console::between(1, 100'000)),
    console::option<&ListOptions::update_percent>("update-pct", "of the operations that replace an item",
                                                  console::between(0, 100)),
    console::option<&ListOptions::distribution>("dist", "how often which key is used"),
    console::option<&ListOptions::milliseconds>("ms", "milliseconds of a run", console::between(1, 10'000)),
    console::option<&ListOptions::seed>("seed", "of the keys and of what is done with them"),
    console::flag<&ListOptions::figure>(
        "figure", "walks of 5 items that do not change, in threads: unprotected, a-rcu, podzimek-rcu, spinlock"),
    console::option<&ListOptions::max_runs>("max-runs", "per row of the figure", console::between(1, max_figure_runs)),
    run_option::all);

class ListExperiment final : public GridExperiment {
  public:
    using Options = ListOptions;
    static constexpr std::string_view name = "list";

    explicit ListExperiment(Options const& options)
        : options_(options) {
        options_.kinds = or_all(options.kinds);
        bench::print_value(distribution_, options.distribution);
    }
    Result<void> set_up() override {
        add(Axis::chosen("kind", 8, options_.kinds));
        return add_cores(options_.cores);
    }
    [[nodiscard]] Unit unit() const override { return Unit::OperationsPerSecond; }
    [[nodiscard]] bool is_measured_as_a_whole() const override { return true; }

    Result<void> run_at(Point const& point, std::span<Sample> samples, Progress& progress) override {
        ListRun const run{.cores = cores(point),
                          .keys = options_.keys,
                          .update_percent = options_.update_percent,
                          .distribution = options_.distribution,
                          .time = clock::to_cycles(Nanoseconds{std::uint64_t{options_.milliseconds} * 1'000'000}),
                          .seed = options_.seed,
                          .progress = progress};
        ListOutcome const outcome = MXK_TRY(run_kind(chosen_at(options_.kinds, point[0]), run));
        Sample& sample = samples[0];
        sample = {.value = static_cast<double>(outcome.operations) / outcome.time.seconds(),
                  .operations = outcome.operations,
                  .verified = outcome.verified()};
        sample.findings.add("updates", static_cast<double>(outcome.updates));
        sample.findings.add("waits", static_cast<double>(outcome.waits));
        return {};
    }
    [[nodiscard]] std::string_view failure() const override {
        return "an operation met what is not its key's, a core made none, an update or an item was lost, or a lock has "
               "counted others";
    }

    void print_head(TextSink& out) const override {
        format(out, "list: {} keys, {}, {} % of the operations are updates, {} ms; {} runs per row\n", options_.keys,
               distribution_.view(), options_.update_percent, options_.milliseconds, options_.repeat.text().view());
    }

  private:
    void write_options(JsonWriter& json, Point const& /*point*/) const override {
        json.field("keys", options_.keys);
        json.field("update_pct", options_.update_percent);
        json.field("dist", distribution_.view());
        json.field("seed", options_.seed);
    }
    static Result<ListOutcome> run_kind(ListKind kind, ListRun const& run) {
        switch (kind) {
        case ListKind::Rcu: return run_list<RcuProtection>(run);
        case ListKind::Spin: return run_list<LockProtection<TestAndSetLock>>(run);
        case ListKind::Ticket: return run_list<LockProtection<TicketLock>>(run);
        case ListKind::ReaderWriter: break;
        }
        return run_list<ReaderWriterProtection>(run);
    }

    Options options_;
    FixedText<64> distribution_;
};
console::Outcome run_list_command(console::Invocation& invocation, ListOptions const& options) {
    ListOptions const none;
    if (!options.figure) {
        if (options.max_runs != none.max_runs)
            return invocation.fail(Error("--max-runs: expected with --figure; without it, --repeat"));
        return run_benchmark<ListExperiment>(invocation, options);
    }
    if (!options.kinds.empty() || options.keys != none.keys || options.update_percent != none.update_percent ||
        options.distribution.is_given || options.seed != none.seed || options.repeat != none.repeat ||
        options.warm_up != none.warm_up)
        return invocation.fail(Error("--figure has kinds, a list and a number of runs of its own: expected no --kind, "
                                     "--keys, --update-pct, --dist, --seed, --repeat, --warm-up"));
    return run_list_figure(
        invocation, {{{.repeat = 1, .json = options.json}, options.cores}, options.milliseconds, options.max_runs});
}
constexpr auto list_benchmark = console::command<&run_list_command, list_schema>(
    {.name = "list",
     .summary = "operations per second on one sorted list by all cores: under RCU, and under one lock",
     .parent = "bench",
     .notes = "Example: bench list --kind rcu,spin --cores 1,2,4 --update-pct 10 --json\n"
              "Example: bench list --figure --cores 1,2,3,4 --ms 100\n"});
MXK_REGISTER(mxk_commands, console::Command, list_benchmark);

} // namespace
} // namespace mxk::bench
