// `bench resize`: latency of single look-ups while a shared table doubles (resize_run.hpp). A configuration is a
// table's layout on a set of cores; its phases are quiet and growing.
#include <array>
#include <utility>

#include "bench/frame/benchmark.hpp"
#include "bench/frame/core_choice.hpp"
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
    console::option<&ResizeOptions::seed>("seed", "of the keys that are looked up"), run_option::repeat,
    run_option::warm_up, run_option::json);

class ResizeExperiment final : public Experiment {
  public:
    using Options = ResizeOptions;
    static constexpr std::string_view name = "resize";

    static Result<ResizeExperiment> create(Options const& options) {
        ResizeExperiment experiment(options);
        experiment.core_sets_ = MXK_TRY(CoreSetList::create(options.cores));
        for (auto const& [layout, layout_name] : value_names(ResizeLayout{})) {
            if (!options.layouts.empty() && !options.layouts.has(layout)) continue;
            experiment.layouts_[experiment.layout_count_++] = layout;
            double const max = layout == ResizeLayout::Concurrent ? DoublingChains::max_load : DoublingLines::max_load;
            if (options.load.value_or(max) > max)
                return Error::of(
                    "--load: expected up to {:.1} for layout {}, which grows by itself with more, got {:.2}", max,
                    layout_name, *options.load);
        }
        return experiment;
    }

    [[nodiscard]] Unit unit() const override { return Unit::NanosecondsPerOperation; }
    [[nodiscard]] std::size_t configurations() const override { return layout_count_ * core_sets_.size(); }
    [[nodiscard]] bool is_measured_as_a_whole() const override { return true; }
    [[nodiscard]] std::size_t phases() const override { return value_names(ResizePhase{}).size(); }

    Result<void> run(std::size_t configuration, std::span<Sample> samples, Progress& progress) override {
        bool const has_chains = layout(configuration) == ResizeLayout::Concurrent;
        ResizeRun const run{.cores = core_sets_.cores(set_of(configuration)),
                            .keys = options_.keys,
                            .load = load(configuration),
                            .min_time = Nanoseconds{std::uint64_t{options_.milliseconds} * 1'000'000},
                            .seed = options_.seed,
                            .progress = progress};
        ResizeOutcome const outcome =
            MXK_TRY(has_chains ? run_resize<DoublingChains>(run) : run_resize<DoublingLines>(run));
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
               options_.repeat);
    }
    void print_label_heading(TextSink& out) const override {
        format(out, "{:<16} ", "layout");
        core_sets_.print_heading(out);
        format(out, " {:<8}", "phase");
    }
    void print_label(TextSink& out, Row const& row) const override {
        format(out, "{:<16} ", name_of(layout(row.configuration)));
        core_sets_.print(out, set_of(row.configuration));
        format(out, " {:<8}", name_of(phase(row)));
    }
    void print_title(TextSink& out, Row const& row) const override {
        format(out, "{}, {} cores, {}", name_of(layout(row.configuration)), core_sets_.label(set_of(row.configuration)),
               name_of(phase(row)));
    }
    void print_details(TextSink& out, Row const& row) const override {
        format(out, "  p99_ns: {:.0}; {} look-ups in each run\n", row.p99.value_or(0), row.operations / row.value.n);
        if (phase(row) == ResizePhase::Growing)
            format(out, "  p99 within twice that of quiet and 5 us: {}\n", is_within(row) ? "yes" : "no");
    }
    void write_settings(JsonWriter& json, Row const& row) const override {
        json.field("layout", name_of(layout(row.configuration)));
        json.field("phase", name_of(phase(row)));
        json.field("keys", options_.keys);
        json.field("load", load(row.configuration));
        json.field("seed", options_.seed);
        core_sets_.write(json, set_of(row.configuration));
    }
    void write_details(JsonWriter& json, Row const& row) const override {
        if (phase(row) == ResizePhase::Growing) json.field("within", is_within(row));
    }

  private:
    static constexpr std::string_view p99_quiet_name = "p99_quiet";

    explicit ResizeExperiment(Options const& options)
        : options_(options) {}

    static Sample sample(LookUpPhase const& phase, bool is_sound) {
        Sample sample{.value = static_cast<double>(phase.latency.p50),
                      .p99 = static_cast<double>(phase.latency.p99),
                      .operations = phase.latency.count,
                      .verified = is_sound && phase.wrong == 0 && phase.latency.count != 0};
        sample.findings.add("max_ns", static_cast<double>(phase.latency.max));
        sample.findings.add("duration_ms", static_cast<double>(raw(clock::to_nanoseconds(phase.time))) * 1e-6);
        return sample;
    }
    static double finding(Row const& row, std::string_view wanted) {
        for (auto const& found : row.findings.entries())
            if (found.name == wanted) return found.value;
        return 0;
    }
    // Of the medians of all runs.
    static bool is_within(Row const& row) {
        constexpr double more = 5000;
        return row.p99.value_or(0) <= 2 * finding(row, p99_quiet_name) + more;
    }

    // One layout after the other, each on all sets.
    [[nodiscard]] std::size_t set_of(std::size_t configuration) const { return configuration % core_sets_.size(); }
    [[nodiscard]] ResizeLayout layout(std::size_t configuration) const {
        return layouts_[configuration / core_sets_.size()];
    }
    [[nodiscard]] double load(std::size_t configuration) const {
        bool const has_chains = layout(configuration) == ResizeLayout::Concurrent;
        return options_.load.value_or(has_chains ? DoublingChains::default_load : DoublingLines::default_load);
    }
    static ResizePhase phase(Row const& row) { return static_cast<ResizePhase>(row.phase); }

    Options options_;
    CoreSetList core_sets_;
    std::array<ResizeLayout, value_names(ResizeLayout{}).size()> layouts_{};
    std::size_t layout_count_ = 0;
};
constexpr auto resize_benchmark = benchmark<ResizeExperiment, resize_schema>(
    {.summary = "latency of look-ups, one at a time, while a shared table doubles, and while nothing goes on",
     .notes = "Example: bench resize --layout concurrent --cores 1,2 --keys 1M --repeat 5 --json\n"});
MXK_REGISTER(mxk_commands, console::Command, resize_benchmark);

} // namespace
} // namespace mxk::bench
