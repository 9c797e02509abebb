#include "bench/table/table_benchmark.hpp"

#include <algorithm>
#include <utility>

#include "base/log.hpp"
#include "bench/frame/steps.hpp"
#include "bench/machine/byte_text.hpp"
#include "bench/machine/working_sets.hpp"
#include "bench/workload/workload.hpp"
#include "kernel/memory/memory.hpp"
#include "kernel/topology/system_topology.hpp"
#include "tasks/prefetching.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {
namespace {

// Workers look as far ahead as the benchmark says, and afterwards as by default.
class PrefetchDistance {
  public:
    // `distance`: in tasks; none: as by default.
    explicit PrefetchDistance(std::optional<std::uint32_t> distance)
        : wanted_(distance.has_value())
        , set_(wanted_ && set(*distance)) {}
    ~PrefetchDistance() {
        if (set_ && !set(workers::default_prefetch_distance()))
            log::warn("no memory to set the prefetch distance back");
    }
    [[nodiscard]] bool ok() const { return set_ == wanted_; } // else there is no memory
    PrefetchDistance(PrefetchDistance const&) = delete;
    PrefetchDistance& operator=(PrefetchDistance const&) = delete;

  private:
    static bool set(std::uint32_t distance) { return prefetching::set_task_distance(distance).ok(); }

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

} // namespace

Result<TableBenchmark> TableBenchmark::create(TableOptions options) {
    MXK_TRY(complete_ycsb(options));
    TableSizes sizes = MXK_TRY(TableSizes::choose(options));
    options.operations = sizes.operations(sizes.count() - 1);
    MXK_TRY(check(options));
    MXK_TRY(check(options.memory, memory::node_count()));
    NodeId const here = Worker::current().node();
    auto trace = MXK_TRY(read_trace(options, here));
    if (options.trace) sizes = MXK_TRY(TableSizes::choose(options)); // it says how many operations there are
    EngineKind const& kind = *MXK_TRY(complete(options));            // so that the rows say what was measured
    TableBenchmark benchmark(options, kind, sizes);
    benchmark.trace_ = std::move(trace);
    benchmark.core_sets_ = MXK_TRY(CoreSetList::create(options.cores));
    benchmark.file_keys_ = MXK_TRY(read_keys(benchmark.options_, here));
    std::size_t const rows = benchmark.configurations() * benchmark.phases();
    benchmark.found_ = MXK_TRY(NodeVector<TableFindings>::create(rows, here));
    for (std::size_t i = 0; i < rows; ++i) benchmark.found_.emplace();
    benchmark.latest_ = MXK_TRY(NodeVector<TableFindings>::create(benchmark.phases(), here));
    for (std::size_t i = 0; i < benchmark.phases(); ++i) benchmark.latest_.emplace();
    return benchmark;
}

Result<void> TableBenchmark::run(std::size_t configuration, std::span<Sample> samples, Progress& progress) {
    PrefetchDistance const distance(tasks_ahead(options_));
    if (!distance.ok()) return no_memory_for_steps();
    TablePlan const plan(plan_of(options_));
    std::size_t const size = size_of(configuration);
    auto const cores = core_sets_.cores(set_of(configuration));
    Speeds const max_speed = MXK_TRY(max_speeds(configuration, progress));
    if (!experiment_ || prepared_for_ != configuration) {
        experiment_.reset(); // gives its memory back first
        options_.operations = sizes_.operations(size);
        experiment_.emplace(MXK_TRY(TableExperiment::create(options_, *kind_, cores)));
        prepared_for_ = configuration;
    }
    MXK_TRY(experiment_->prepare(progress));
    std::uint32_t const passes = sizes_.is_sweep() ? sizes_.passes(size) : 1;
    for (std::size_t phase = 0; phase < phases(); ++phase) {
        Mix const& mix = options_.mix.list()[phase];
        double const offered = offered_rate(max_speed[phase]);
        auto const outcome = MXK_TRY(experiment_->run(mix, progress, offered, passes));
        std::uint64_t const operations = outcome.operations * passes;
        samples[phase] = {.value = static_cast<double>(operations) / outcome.time.seconds(),
                          .operations = operations,
                          .verified = outcome.verified()};
        latest_[phase] = {.buckets = experiment_->bucket_count(), // of a table that grows, in the end
                          .lost = outcome.lost,
                          .offered = offered,
                          .max_speed = max_speed[phase],
                          .last = outcome};
        if (outcome.verified() || may_lose(options_)) continue;
        progress.clear();
        print_wrong(progress.out(), mix, outcome);
    }
    return {};
}

void TableBenchmark::keep(std::size_t configuration) {
    for (std::size_t phase = 0; phase < phases(); ++phase) {
        TableFindings& found = found_[configuration * phases() + phase];
        std::uint64_t const lost = std::max(found.lost, latest_[phase].lost);
        found = latest_[phase];
        found.lost = lost;
    }
}

std::string_view TableBenchmark::level_of_row(Row const& row) const {
    auto const cores = core_sets_.cores(set_of(row.configuration));
    std::size_t const sharing = options_.model == Model::Tasks ? cores.size() : 1;
    return level_of(system_topology().cores[index(cores[0])].levels,
                    sizes_.bytes(size_of(row.configuration)) / sharing);
}

void TableBenchmark::print_label_heading(TextSink& out) const {
    if (sizes_.is_sweep()) format(out, "{:>9} {:<7} ", "table", "");
    core_sets_.print_heading(out);
    format(out, " {:<6}", "mix");
}

void TableBenchmark::print_label(TextSink& out, Row const& row) const {
    auto const mix = name_of(mix_of(row));
    if (sizes_.is_sweep()) {
        FixedText<8> level;
        if (!level_of_row(row).empty()) format(level, "~{}", level_of_row(row));
        format(out, "{:>9} {:<7} ", byte_text(sizes_.bytes(size_of(row.configuration))).view(), level.view());
    }
    core_sets_.print(out, set_of(row.configuration));
    format(out, " {:<6}", mix.view().substr(0, mix.view().find(':'))); // the head has the shares
}

void TableBenchmark::print_title(TextSink& out, Row const& row) const {
    format(out, "{}, {} cores", name_of(mix_of(row)).view(), core_sets_.label(set_of(row.configuration)));
    if (sizes_.is_sweep()) format(out, ", {}", byte_text(sizes_.bytes(size_of(row.configuration))).view());
}

void TableBenchmark::print_verdict(TextSink& out, Row const& row) const {
    if (!row.verified && may_lose(options_)) return format(out, "lost {}", found_of(row).lost);
    Experiment::print_verdict(out, row);
}

void TableBenchmark::print_details(TextSink& out, Row const& row) const {
    print_table_details(out, options_, found_of(row));
}

void TableBenchmark::write_settings(JsonWriter& json, Row const& row) const {
    std::size_t const size = size_of(row.configuration);
    TableOptions of_row = options_;
    of_row.operations = sizes_.operations(size);
    write_table_settings(json, of_row, mix_of(row));
    if (sizes_.is_sweep()) {
        json.field("size_bytes", sizes_.bytes(size));
        json.field("passes", sizes_.passes(size));
        if (!level_of_row(row).empty()) json.field("level", level_of_row(row));
    }
    core_sets_.write(json, set_of(row.configuration));
}

void TableBenchmark::write_details(JsonWriter& json, Row const& row) const {
    write_table_details(json, options_, found_of(row));
}

Result<TableBenchmark::Speeds> TableBenchmark::max_speeds(std::size_t configuration, Progress& progress) {
    Speeds speeds{};
    if (!options_.rate || options_.rate->share == 0) return speeds;
    experiment_.reset(); // gives its memory back first
    TableOptions plain = options_;
    plain.latency = plain.task_times = false;
    plain.rate.reset();
    plain.max_latency.reset();
    auto experiment = MXK_TRY(TableExperiment::create(plain, *kind_, core_sets_.cores(set_of(configuration))));
    MXK_TRY(experiment.prepare(progress));
    for (std::size_t phase = 0; phase < phases(); ++phase) {
        auto const outcome = MXK_TRY(experiment.run(options_.mix.list()[phase], progress));
        if (!outcome.verified()) return Error("verification failed in the run without a set rate");
        speeds[phase] = static_cast<double>(outcome.operations) / outcome.time.seconds();
    }
    return speeds;
}

double TableBenchmark::offered_rate(double max_speed) const {
    if (!options_.rate) return 0;
    if (options_.rate->share != 0) return options_.rate->share * max_speed;
    return static_cast<double>(options_.rate->per_second);
}

} // namespace mxk::bench
