// `bench table`: operations per second of a partitioned hash table, run by one of the engines (engine.hpp), for several
// core counts (thesis section 4, figures 4.1 to 4.6). Time is rdtsc from the first core's start behind a barrier to the
// last core's end. Every run is verified; a wrong result fails the benchmark, except where losses are what is measured.
#include "bench/table/table_benchmark.hpp"

#include <algorithm>
#include <utility>

#include "arch/cpu.hpp"
#include "base/log.hpp"
#include "bench/frame/benchmark.hpp"
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

// No more owners than cores.
Result<void> check_owners(TableOptions const& options, std::size_t cores) {
    for (std::uint32_t const owners : options.owners.values())
        if (owners > cores)
            return Error::of("--owners: expected up to {} cores in a run on {}, got {}", cores, cores, owners);
    return {};
}

} // namespace

Result<TableBenchmark> TableBenchmark::create(TableOptions const& options) {
    NodeId const here = Worker::current().node();
    NodeVector<TraceReplay> trace;
    TableBenchmark benchmark(MXK_TRY(resolve(options, &trace)));
    benchmark.trace_ = std::move(trace);
    benchmark.core_sets_ = MXK_TRY(CoreSetList::create(options.cores));
    for (std::size_t set = 0; set < benchmark.core_sets_.size(); ++set)
        MXK_TRY(check_owners(options, benchmark.core_sets_.cores(set).size()));
    benchmark.file_keys_ = MXK_TRY(read_keys(benchmark.run_, here));
    std::size_t const rows = benchmark.configurations() * benchmark.phases();
    benchmark.found_ = MXK_TRY(NodeVector<TableFindings>::create(rows, here));
    for (std::size_t i = 0; i < rows; ++i) benchmark.found_.emplace();
    benchmark.latest_ = MXK_TRY(NodeVector<TableFindings>::create(benchmark.phases(), here));
    for (std::size_t i = 0; i < benchmark.phases(); ++i) benchmark.latest_.emplace();
    return benchmark;
}

Result<void> TableBenchmark::run(std::size_t configuration, std::span<Sample> samples, Progress& progress) {
    PrefetchDistance const distance(run_.ahead);
    if (!distance.ok()) return no_memory_for_steps();
    TablePlan const plan(run_.plan);
    std::size_t const size = size_of(configuration);
    auto const cores = core_sets_.cores(set_of(configuration));
    Speeds const max_speed = MXK_TRY(max_speeds(configuration, progress));
    if (!experiment_ || prepared_for_ != configuration) {
        experiment_.reset(); // gives its memory back first
        run_.operations = run_.sizes.operations(size);
        experiment_.emplace(MXK_TRY(TableExperiment::create(run_, cores)));
        prepared_for_ = configuration;
    }
    MXK_TRY(experiment_->prepare(progress));
    std::uint32_t const passes = run_.sizes.is_sweep() ? run_.sizes.passes(size) : 1;
    for (std::size_t phase = 0; phase < phases(); ++phase) {
        Mix const& mix = run_.mix.list()[phase];
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
                          .reached = samples[phase].value,
                          .last = outcome};
        if (outcome.verified() || run_.may_lose()) continue;
        progress.clear();
        print_wrong(progress.out(), mix, outcome);
    }
    Speeds const after = MXK_TRY(max_speeds(configuration, progress));
    for (std::size_t phase = 0; phase < phases(); ++phase) latest_[phase].max_speed_after = after[phase];
    return {};
}

void TableBenchmark::keep(std::size_t configuration) {
    for (std::size_t phase = 0; phase < phases(); ++phase) {
        TableFindings& found = found_[configuration * phases() + phase];
        bool const is_served = latest_[phase].is_served();
        std::uint64_t const lost = std::max(found.lost, latest_[phase].lost);
        std::uint32_t const runs = found.runs + 1;
        std::uint32_t const runs_served = found.runs_served + (is_served ? 1 : 0);
        bool const was_said = found.last.elsewhere != 0;
        if (is_served || found.runs_served == 0) found = latest_[phase];
        found.lost = lost;
        found.runs = runs;
        found.runs_served = runs_served;
        if (!was_said) warn_of_placement(configuration, run_.mix.list()[phase], found.last);
    }
}

// Once for each row: a table lies elsewhere than the row says. Small parts of a run may, too, and do not matter.
void TableBenchmark::warn_of_placement(std::size_t configuration, Mix const& mix,
                                       TableExperiment::Outcome const& outcome) const {
    if (outcome.elsewhere <= outcome.table_bytes / 64) return;
    FixedText<128> by_node;
    for (std::size_t node = 0; node < std::min<std::size_t>(outcome.placed.size(), memory::node_count()); ++node)
        format(by_node, " {}", byte_text(outcome.placed[node]).view());
    log::warn("bench table, {} on {} cores: {} lie on other nodes than asked; by node:{}", name_of(mix).view(),
              core_sets_.label(set_of(configuration)), byte_text(outcome.elsewhere).view(), by_node.view());
}

std::string_view TableBenchmark::level_of_row(Row const& row) const {
    auto const cores = core_sets_.cores(set_of(row.configuration));
    std::size_t const sharing = run_.model == Model::Tasks ? cores.size() : 1;
    return level_of(system_topology().cores[index(cores[0])].levels,
                    run_.sizes.bytes(size_of(row.configuration)) / sharing);
}

void TableBenchmark::print_label_heading(TextSink& out) const {
    if (run_.sizes.is_sweep()) format(out, "{:>9} {:<7} ", "table", "");
    core_sets_.print_heading(out);
    format(out, " {:<6}", "mix");
}

void TableBenchmark::print_label(TextSink& out, Row const& row) const {
    auto const mix = name_of(mix_of(row));
    if (run_.sizes.is_sweep()) {
        FixedText<8> level;
        if (!level_of_row(row).empty()) format(level, "~{}", level_of_row(row));
        format(out, "{:>9} {:<7} ", byte_text(run_.sizes.bytes(size_of(row.configuration))).view(), level.view());
    }
    core_sets_.print(out, set_of(row.configuration));
    format(out, " {:<6}", mix.view().substr(0, mix.view().find(':'))); // the head has the shares
}

void TableBenchmark::print_title(TextSink& out, Row const& row) const {
    format(out, "{}, {} cores", name_of(mix_of(row)).view(), core_sets_.label(set_of(row.configuration)));
    if (run_.sizes.is_sweep()) format(out, ", {}", byte_text(run_.sizes.bytes(size_of(row.configuration))).view());
}

void TableBenchmark::print_verdict(TextSink& out, Row const& row) const {
    if (!row.verified && run_.may_lose()) return format(out, "lost {}", found_of(row).lost);
    Experiment::print_verdict(out, row);
}

void TableBenchmark::print_details(TextSink& out, Row const& row) const {
    print_table_details(out, run_, found_of(row));
}

void TableBenchmark::write_settings(JsonWriter& json, Row const& row) const {
    std::size_t const size = size_of(row.configuration);
    TableRun of_row = run_;
    of_row.operations = run_.sizes.operations(size);
    write_table_settings(json, of_row, mix_of(row));
    if (run_.sizes.is_sweep()) {
        json.field("size_bytes", run_.sizes.bytes(size));
        json.field("passes", run_.sizes.passes(size));
        if (!level_of_row(row).empty()) json.field("level", level_of_row(row));
    }
    core_sets_.write(json, set_of(row.configuration));
}

void TableBenchmark::write_details(JsonWriter& json, Row const& row) const {
    write_table_details(json, run_, found_of(row));
}

Result<TableBenchmark::Speeds> TableBenchmark::max_speeds(std::size_t configuration, Progress& progress) {
    Speeds speeds{};
    if (run_.rate && !arch::timestamp_frequency_is_known())
        return Error("--rate: expected a time-stamp counter whose frequency is known");
    if (!run_.rate || run_.rate->share == 0) return speeds;
    experiment_.reset(); // gives its memory back first
    auto experiment = MXK_TRY(TableExperiment::create(run_, core_sets_.cores(set_of(configuration))));
    MXK_TRY(experiment.prepare(progress));
    for (std::size_t phase = 0; phase < phases(); ++phase) {
        constexpr auto at_once = static_cast<double>(Rate::max_per_second);
        auto const outcome = MXK_TRY(experiment.run(run_.mix.list()[phase], progress, at_once));
        if (!outcome.verified()) return Error("verification failed in the run whose operations are due at once");
        speeds[phase] = static_cast<double>(outcome.operations) / outcome.time.seconds();
    }
    return speeds;
}

double TableBenchmark::offered_rate(double max_speed) const {
    if (!run_.rate) return 0;
    if (run_.rate->share != 0) return run_.rate->share * max_speed;
    return static_cast<double>(run_.rate->per_second);
}

namespace {

constexpr auto table_benchmark = benchmark<TableBenchmark, table_schema>(
    {.summary = "operations per second of a partitioned hash table, run by tasks or by threads",
     .notes = "Examples: bench table --cores 1,2,4 --ops 24M --mix mixed:50/40/10 --repeat 5 --json\n"
              "          bench table --cores 1,2 --mix insert,find,erase\n"
              "          bench table --layout bucketed --cores 1,2 --mix find --dist zipf:0.99\n"
              "          bench table --layout open --submit batch --workload ycsb-a --cores 1,2\n"
              "          bench table --layout open --submit batch --trace ycsb-a.trace --cores 1,2\n"
              "          bench table --model threads --cores 1,2,4\n"
              "          bench table --model threads-unsafe --cores 4 (counts what is lost)\n",
     .more_help = &print_engines});
MXK_REGISTER(mxk_commands, console::Command, table_benchmark);

} // namespace
} // namespace mxk::bench
