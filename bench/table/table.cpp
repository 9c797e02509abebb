// `bench table`: operations per second of a partitioned hash table, run by one of the engines (engine.hpp), for several
// core counts (thesis section 4, figures 4.1 to 4.6). Time is rdtsc from the first core's start behind a barrier to the
// last core's end. Every run is verified; a wrong result fails the benchmark, except where losses are what is measured.
#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "base/log.hpp"
#include "bench/frame/benchmark.hpp"
#include "bench/frame/steps.hpp"
#include "bench/table/engine.hpp"
#include "bench/table/table_experiment.hpp"
#include "bench/table/table_report.hpp"
#include "bench/workload/workload.hpp"
#include "tasks/prefetching.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {
namespace {

// Workers look as far ahead as the benchmark says, and afterwards as by default.
class PrefetchDistance {
  public:
    // `tasks`: none: as by default.
    explicit PrefetchDistance(std::optional<std::uint32_t> tasks)
        : wanted_(tasks.has_value())
        , set_(wanted_ && set(*tasks)) {}
    ~PrefetchDistance() {
        if (set_ && !set(workers::default_prefetch_distance()))
            log::warn("no memory to set the prefetch distance back");
    }
    [[nodiscard]] bool ok() const { return set_ == wanted_; } // else there is no memory
    PrefetchDistance(PrefetchDistance const&) = delete;
    PrefetchDistance& operator=(PrefetchDistance const&) = delete;

  private:
    static bool set(std::uint32_t tasks) { return prefetching::set_task_distance(tasks).ok(); }

    bool wanted_;
    bool set_;
};

// Tables are prefetched by the benchmark's plan, and afterwards by the machine's.
class TablePlan {
  public:
    explicit TablePlan(PrefetchPlan const& plan)
        : before_(std::exchange(prefetch_plan, plan)) {}
    ~TablePlan() { prefetch_plan = before_; }
    TablePlan(TablePlan const&) = delete;
    TablePlan& operator=(TablePlan const&) = delete;

  private:
    PrefetchPlan before_;
};

// Its configurations are numbers of cores, its phases those of --mix.
class TableBenchmark final : public Experiment {
  public:
    using Options = TableOptions;
    static constexpr std::string_view name = "table";

    // All that can be known before a run. Errors: what was typed is wrong, or contradicts itself; no memory.
    static Result<TableBenchmark> create(TableOptions options) {
        MXK_TRY(check(options));
        EngineKind const& kind = *MXK_TRY(complete(options)); // so that the rows say what was measured
        TableBenchmark benchmark(options, kind);
        benchmark.core_sets_ = MXK_TRY(CoreSetList::create(options.cores));
        NodeId const here = Worker::current().node();
        benchmark.file_keys_ = MXK_TRY(read_keys(benchmark.options_, here));
        std::size_t const rows = benchmark.configurations() * benchmark.phases();
        benchmark.found_ = MXK_TRY(NodeVector<TableFindings>::create(rows, here));
        for (std::size_t i = 0; i < rows; ++i) benchmark.found_.emplace();
        benchmark.latest_ = MXK_TRY(NodeVector<TableFindings>::create(benchmark.phases(), here));
        for (std::size_t i = 0; i < benchmark.phases(); ++i) benchmark.latest_.emplace();
        return benchmark;
    }

    [[nodiscard]] Unit unit() const override { return Unit::OperationsPerSecond; }
    [[nodiscard]] std::size_t configurations() const override { return core_sets_.size(); }
    [[nodiscard]] std::size_t phases() const override { return options_.mix.size(); }
    [[nodiscard]] bool may_be_wrong() const override { return may_lose(options_); }
    [[nodiscard]] bool has_speed_up() const override { return true; }

    Result<void> run(std::size_t configuration, std::span<Sample> samples, Progress& progress) override {
        PrefetchDistance const distance(tasks_ahead(options_));
        if (!distance.ok()) return no_memory_for_steps();
        TablePlan const plan(plan_of(options_));
        Speeds const max_speed = MXK_TRY(max_speeds(configuration, progress));
        if (!experiment_ || prepared_for_ != configuration) {
            experiment_.reset(); // gives its memory back first
            experiment_.emplace(MXK_TRY(TableExperiment::create(options_, *kind_, core_sets_.cores(configuration))));
            prepared_for_ = configuration;
        }
        MXK_TRY(experiment_->prepare(progress));
        for (std::size_t phase = 0; phase < phases(); ++phase) {
            Mix const& mix = options_.mix.list()[phase];
            double const offered = offered_rate(max_speed[phase]);
            auto const outcome = MXK_TRY(experiment_->run(mix, progress, offered));
            samples[phase] = {.value = static_cast<double>(options_.operations) / outcome.time.seconds(),
                              .operations = options_.operations,
                              .verified = outcome.verified()};
            latest_[phase] = {.buckets = experiment_->bucket_count(), // of a table that grows, in the end
                              .lost = outcome.lost,
                              .offered = offered,
                              .max_speed = max_speed[phase],
                              .last = outcome};
            if (outcome.verified() || may_be_wrong()) continue;
            progress.clear();
            print_wrong(progress.out(), mix, outcome);
        }
        return {};
    }

    void keep(std::size_t configuration) override {
        for (std::size_t phase = 0; phase < phases(); ++phase) {
            TableFindings& found = found_[configuration * phases() + phase];
            std::uint64_t const lost = std::max(found.lost, latest_[phase].lost);
            found = latest_[phase];
            found.lost = lost;
        }
    }

    void print_head(TextSink& out) const override { print_table_head(out, options_); }
    void print_label_heading(TextSink& out) const override {
        core_sets_.print_heading(out);
        format(out, " {:<6}", "mix");
    }
    void print_label(TextSink& out, Row const& row) const override {
        auto const mix = name_of(mix_of(row));
        core_sets_.print(out, row.configuration);
        format(out, " {:<6}", mix.view().substr(0, mix.view().find(':'))); // the head has the shares
    }
    void print_title(TextSink& out, Row const& row) const override {
        format(out, "{}, {} cores", name_of(mix_of(row)).view(), core_sets_.label(row.configuration));
    }
    void print_verdict(TextSink& out, Row const& row) const override {
        if (!row.verified && may_be_wrong()) return format(out, "lost {}", found_of(row).lost);
        Experiment::print_verdict(out, row);
    }
    void print_details(TextSink& out, Row const& row) const override {
        print_table_details(out, options_, found_of(row));
    }
    void write_settings(JsonWriter& json, Row const& row) const override {
        write_table_settings(json, options_, mix_of(row));
        core_sets_.write(json, row.configuration);
    }
    void write_details(JsonWriter& json, Row const& row) const override {
        write_table_details(json, options_, found_of(row));
    }

  private:
    TableBenchmark(TableOptions const& options, EngineKind const& kind)
        : options_(options)
        , kind_(&kind) {}

    using Speeds = std::array<double, Phases::max>; // operations per second, by phase

    // Where --rate is a share: what it is a share of, as fast as a run without set rate, cap and time stamps is, right
    // before. Else 0.
    Result<Speeds> max_speeds(std::size_t configuration, Progress& progress) {
        Speeds speeds{};
        if (!options_.rate || options_.rate->share == 0) return speeds;
        experiment_.reset(); // gives its memory back first
        TableOptions plain = options_;
        plain.latency = plain.task_times = false;
        plain.rate.reset();
        plain.max_latency.reset();
        auto experiment = MXK_TRY(TableExperiment::create(plain, *kind_, core_sets_.cores(configuration)));
        MXK_TRY(experiment.prepare(progress));
        for (std::size_t phase = 0; phase < phases(); ++phase) {
            auto const outcome = MXK_TRY(experiment.run(options_.mix.list()[phase], progress));
            if (!outcome.verified()) return Error("verification failed in the run without a set rate");
            speeds[phase] = static_cast<double>(options_.operations) / outcome.time.seconds();
        }
        return speeds;
    }
    // 0: no set rate.
    [[nodiscard]] double offered_rate(double max_speed) const {
        if (!options_.rate) return 0;
        if (options_.rate->share != 0) return options_.rate->share * max_speed;
        return static_cast<double>(options_.rate->per_second);
    }

    [[nodiscard]] Mix const& mix_of(Row const& row) const { return options_.mix.list()[row.phase]; }
    [[nodiscard]] TableFindings const& found_of(Row const& row) const {
        return found_[row.configuration * phases() + row.phase];
    }

    TableOptions options_;
    EngineKind const* kind_;
    CoreSetList core_sets_;              // the configurations
    NodeArray<std::uint64_t> file_keys_; // that options_ refers to
    NodeVector<TableFindings> found_;    // by row
    NodeVector<TableFindings> latest_;   // of the latest run, by phase
    std::optional<TableExperiment> experiment_{};
    std::size_t prepared_for_ = 0; // the configuration that experiment_ is of
};
constexpr auto table_benchmark = benchmark<TableBenchmark, table_schema>(
    {.summary = "operations per second of a partitioned hash table, run by tasks or by threads",
     .notes = "Examples: bench table --cores 1,2,4 --ops 24M --mix mixed:50/40/10 --repeat 5 --json\n"
              "          bench table --cores 1,2 --mix insert,find,erase\n"
              "          bench table --layout bucketed --cores 1,2 --mix find --dist zipf:0.99\n"
              "          bench table --model threads --cores 1,2,4\n"
              "          bench table --model threads-unsafe --cores 4 (counts what is lost)\n",
     .more_help = &print_engines});
MXK_REGISTER(mxk_commands, console::Command, table_benchmark);

} // namespace
} // namespace mxk::bench
