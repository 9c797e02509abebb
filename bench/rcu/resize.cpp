// `bench resize`: latency of single look-ups while a shared table doubles (resize_run.hpp). A configuration is a
// table's layout on a set of cores; its phases are quiet and growing.
#include <array>

#include "bench/frame/grid.hpp"
#include "bench/frame/names.hpp"
#include "bench/rcu/doubling_tables.hpp"
#include "bench/rcu/resize_run.hpp"
#include "bench/workload/key_numbers.hpp"

namespace mxk::bench {

enum class ResizeLayout : std::uint8_t { Concurrent, ConcurrentLines };

// As they are typed and as they stand in results, in both builds, as of `bench table`.
constexpr auto value_names(ResizeLayout) {
    using Named = console::NamedValue<ResizeLayout>;
    return std::array{Named{ResizeLayout::Concurrent, "concurrent"},
                      Named{ResizeLayout::ConcurrentLines, "concurrent-lines"}};
}

enum class ResizePhase : std::uint8_t { Quiet, Growing };

constexpr auto value_names(ResizePhase) {
    return std::array{console::NamedValue{ResizePhase::Quiet, "quiet"},
                      console::NamedValue{ResizePhase::Growing, "growing"}};
}

namespace {

struct ResizeOptions : CoreSetOptions {
    ResizeOptions()
        : CoreSetOptions{{.repeat = 1, .warm_up = 1}, {}} {} // as in bench table

    NameSet<ResizeLayout> layouts{};
    std::uint64_t keys = 1'000'000;
    std::optional<double> load;
    std::uint32_t milliseconds = 20;
    std::uint64_t seed = 1;
};

constexpr auto resize_schema = console::schema<ResizeOptions>(
    console::option<&ResizeOptions::layouts>("layout", "concurrent, concurrent-lines (none given: both)"),
    core_set_option::cores,
    console::option<&ResizeOptions::keys>("keys", "in the table", console::between(1000, KeyNumbers::max_keys)),
    console::option<&ResizeOptions::load>("load",
                                          "before: keys per head of concurrent, part of the places of "
                                          "concurrent-lines (none given: 1, 0.5)",
                                          console::between(0.05, DoublingChains::max_load)),
    console::option<&ResizeOptions::milliseconds>("ms", "milliseconds of the quiet phase, or as long as the growth",
                                                  console::between(1, 10'000)),
    console::option<&ResizeOptions::seed>("seed", "of the keys that are looked up"), run_option::all);

constexpr auto phase_names = value_names(ResizePhase{});

class ResizeExperiment final : public GridExperiment {
  public:
    using Options = ResizeOptions;
    static constexpr std::string_view name = "resize";

    explicit ResizeExperiment(Options const& options)
        : options_(options) {
        options_.layouts = or_all(options.layouts);
    }
    Result<void> set_up() override {
        for (auto const& [layout, layout_name] : value_names(ResizeLayout{})) {
            double const max = layout == ResizeLayout::Concurrent ? DoublingChains::max_load : DoublingLines::max_load;
            if (options_.layouts.has(layout) && options_.load.value_or(max) > max)
                return Error::of(
                    "--load: expected up to {:.1} for layout {}, which grows by itself with more, got {:.2}", max,
                    layout_name, *options_.load);
        }
        add(Axis::chosen("layout", 16, options_.layouts));
        MXK_TRY(add_cores(options_.cores));
        add(Axis::phases(Axis::of("phase", 8, phase_names)));
        return {};
    }
    [[nodiscard]] Unit unit() const override { return Unit::NanosecondsPerOperation; }
    [[nodiscard]] bool is_measured_as_a_whole() const override { return true; }

    Result<void> run_at(Point const& point, std::span<Sample> samples, Progress& progress) override {
        bool const has_chains = layout(point) == ResizeLayout::Concurrent;
        ResizeRun const run{.cores = cores(point),
                            .keys = options_.keys,
                            .load = load(point),
                            .min_time = Nanoseconds{std::uint64_t{options_.milliseconds} * 1'000'000},
                            .seed = options_.seed,
                            .progress = progress};
        ResizeOutcome outcome;
        for (int tries = 0; !says_something(outcome); ++tries) {
            if (tries == max_tries)
                return Error::of("no look-up began in a phase, {} times: expected more --keys and --ms, or idle cores",
                                 max_tries);
            outcome = MXK_TRY(has_chains ? run_resize<DoublingChains>(run) : run_resize<DoublingLines>(run));
        }
        bool const is_sound = outcome.has_doubled && outcome.has_content;
        Sample& quiet = samples[static_cast<std::size_t>(ResizePhase::Quiet)];
        Sample& growing = samples[static_cast<std::size_t>(ResizePhase::Growing)];
        quiet = sample(outcome.quiet, is_sound);
        growing = sample(outcome.growing, is_sound);
        quiet.findings.add("buckets", static_cast<double>(outcome.buckets_after));
        growing.findings.add("buckets", static_cast<double>(outcome.buckets_before));
        growing.findings.add(p99_quiet_name, static_cast<double>(outcome.quiet.latency.p99));
        return {};
    }
    [[nodiscard]] std::string_view failure() const override {
        return "a look-up had a wrong result, the table has not doubled once, or its content is another one";
    }

    void print_head(TextSink& out) const override {
        format(out, "resize: look-ups of {} keys one at a time, latency; {} runs per row\n", options_.keys,
               options_.repeat.text().view());
    }
    void print_details(TextSink& out, Row const& row) const override {
        format(out, "  p99_ns: {:.0}; {} look-ups in each run\n", row.p99.value_or(0), row.operations / row.runs);
        if (phase(row) == ResizePhase::Growing)
            format(out, "  p99 within twice that of quiet and 5 us: {}\n", is_within(row) ? "yes" : "no");
    }
    void write_details(JsonWriter& json, Row const& row) const override {
        if (phase(row) == ResizePhase::Growing) json.field("within", is_within(row));
    }

  private:
    static constexpr std::string_view p99_quiet_name = "p99_quiet";
    // Of phases, some of a millisecond, in which the cores that look up may have no processor.
    static constexpr int max_tries = 20;
    // A fault does, too.
    static bool says_something(ResizeOutcome const& outcome) {
        bool const is_measured = outcome.growing.latency.count != 0 && outcome.quiet.latency.count != 0;
        bool const has_run = outcome.buckets_before != 0;
        return is_measured || (has_run && !(outcome.has_doubled && outcome.has_content)) ||
               outcome.growing.wrong != 0 || outcome.quiet.wrong != 0;
    }

    void write_options(JsonWriter& json, Point const& point) const override {
        json.field("keys", options_.keys);
        json.field("load", load(point));
        json.field("seed", options_.seed);
    }
    static Sample sample(LookUpPhase const& phase, bool is_sound) {
        Sample sample{.value = static_cast<double>(phase.latency.p50),
                      .p99 = static_cast<double>(phase.latency.p99),
                      .operations = phase.latency.count,
                      .verified = is_sound && phase.wrong == 0};
        sample.findings.add("max_ns", static_cast<double>(phase.latency.max));
        sample.findings.add("duration_ms", seconds_of(phase.time) * 1e3);
        return sample;
    }
    // Of the medians of all runs.
    static bool is_within(Row const& row) {
        constexpr double more = 5000;
        return row.p99.value_or(0) <= 2 * finding_of(row, p99_quiet_name).value_or(0) + more;
    }

    [[nodiscard]] ResizeLayout layout(Point const& point) const { return chosen_at(options_.layouts, point[0]); }
    [[nodiscard]] double load(Point const& point) const {
        bool const has_chains = layout(point) == ResizeLayout::Concurrent;
        return options_.load.value_or(has_chains ? DoublingChains::default_load : DoublingLines::default_load);
    }
    static ResizePhase phase(Row const& row) { return static_cast<ResizePhase>(row.phase); }

    Options options_;
};
constexpr auto resize_benchmark = benchmark<ResizeExperiment, resize_schema>(
    {.summary = "latency of look-ups, one at a time, while a shared table doubles, and while nothing goes on",
     .notes = "Example: bench resize --layout concurrent --cores 1,2 --keys 1M --repeat 5 --json\n"});
MXK_REGISTER(mxk_commands, console::Command, resize_benchmark);

} // namespace
} // namespace mxk::bench
