// `bench dataflow sweep`: rows per second through a pipe, by the bytes of an envelope (B6, and the thesis' figures 5.1
// and 5.2): one request after the other, or as many at a time as there are cores. What is recommended
// (tasks/dataflow/graph/envelope_size.hpp) is among the sizes, with a mark.
#include <algorithm>
#include <array>
#include <span>

#include "bench/dataflow/graph_stream.hpp"
#include "tasks/dataflow/graph/envelope_size.hpp"

namespace mxk::bench {

enum class SweepWay : std::uint8_t { InSequence, AllCores };
constexpr auto value_names(SweepWay) {
    using Named = console::NamedValue<SweepWay>;
    return std::array{Named{SweepWay::InSequence, "in-sequence"}, Named{SweepWay::AllCores, "all-cores"}};
}

namespace {

struct SweepOptions : DataflowOptions {
    console::CountList kibibytes{5, 10, 20, 50, 100, 400, 800, 1600, 4000};
    NameSet<SweepWay> ways{};
    std::uint32_t requests = 4;
    std::uint32_t all_rows = 2'000'000;
    std::uint32_t stages = 3;
    std::uint32_t work = 4;
};

constexpr auto sweep_schema = console::schema<SweepOptions>(
    dataflow_option::disciplines, core_set_option::cores,
    console::option<&SweepOptions::kibibytes>("kib", "of an envelope, besides the recommended size",
                                              console::between(1, 1'000'000)),
    console::option<&SweepOptions::ways>("way",
                                         "in-sequence: one request after the other; all-cores: as many at a time "
                                         "as there are cores (none given: both)"),
    console::option<&SweepOptions::requests>("requests", "for each that is under way", console::between(1, 100'000)),
    console::option<&SweepOptions::all_rows>("all-rows", "of a request, or somewhat more",
                                             console::between(1, 1'000'000'000)),
    console::option<&SweepOptions::stages>("stages", "between the source and the sink", console::between(1, 60)),
    console::option<&SweepOptions::work>("work", "multiplications for each row in each stage",
                                         console::between(0, 10'000)),
    dataflow_option::sleep_rule, dataflow_option::reruns_bound, dataflow_option::steals_first,
    dataflow_option::patience, dataflow_option::seed, run_option::repeat, run_option::warm_up, run_option::json);

struct SweepBench {
    using Options = SweepOptions;
    static constexpr std::string_view name = "dataflow sweep";
    static constexpr Unit unit = Unit::OperationsPerSecond;
    static constexpr DisciplineSet default_disciplines{Discipline::Requests};
    static constexpr bool has_peers = false;

    explicit SweepBench(Options const& its_options)
        : options(its_options) {}
    Result<void> prepare() {
        if (options.ways.empty()) options.ways = {SweepWay::InSequence, SweepWay::AllCores};
        for (auto const& [way, its_name] : value_names(SweepWay{}))
            if (options.ways.has(way)) ways[way_count++] = way;
        for (std::uint32_t const kibibytes : options.kibibytes.values()) sizes[size_count++] = kibibytes * KiB;
        if (std::ranges::find(all_sizes(), dataflow::recommended_bytes()) == all_sizes().end())
            sizes[size_count++] = dataflow::recommended_bytes();
        std::ranges::sort(std::span(sizes).first(size_count));
        return {};
    }
    [[nodiscard]] std::size_t points() const { return way_count * size_count; }
    static constexpr std::span<DataflowClaim const> claims() { return {}; }
    static bool is_judged(DataflowClaim const& /*claim*/, std::size_t /*point*/) { return true; }

    Result<void> run(DataflowRun const& run) const {
        GraphShape const shape = shape_of(run.point);
        bool const is_alone = way_of(run.point) == SweepWay::InSequence;
        RequestPlan const plan{.rounds = options.requests,
                               .at_once = is_alone ? 1 : static_cast<std::uint32_t>(run.cores.size())};
        dataflow::Model model;
        MXK_TRY(make_graph(model, shape));
        return measure_stream(run, model, shape, plan);
    }

    void print_head(TextSink& out) const {
        format(out, "a pipe of {} stages; {} rows in a request; recommended (*): {} KiB in an envelope", options.stages,
               options.all_rows, dataflow::recommended_bytes() / KiB);
    }
    static void print_heading(TextSink& out) { format(out, " {:<11} {:>6} ", "way", "KiB"); }
    void print_point(TextSink& out, std::size_t point) const {
        format(out, " {:<11} {:6}{}", name_of(way_of(point)), size_of(point) / KiB, is_recommended(point) ? "*" : " ");
    }
    void write_point(JsonWriter& json, std::size_t point) const {
        GraphShape const shape = shape_of(point);
        json.field("way", name_of(way_of(point)));
        json.field("bytes", size_of(point));
        json.field("recommended", is_recommended(point));
        json.field("rows", shape.rows);
        json.field("envelopes", shape.envelopes);
        json.field("stages", shape.stages);
        json.field("work", shape.work);
        json.field("requests", options.requests);
    }
    // How good the recommended size is: of each system, on each set of cores.
    void conclude(TextSink& out, std::span<Row const> rows) const {
        for (std::size_t first = 0; first < rows.size(); first += size_count) {
            auto const of_sizes = rows.subspan(first, size_count);
            Row const* best = nullptr;
            Row const* recommended = nullptr;
            for (Row const& row : of_sizes) {
                if (row.value.n == 0) continue;
                if (best == nullptr || row.value.median > best->value.median) best = &row;
                if (is_recommended(row.configuration % points())) recommended = &row;
            }
            if (best == nullptr || recommended == nullptr) continue;
            format(out, "{}: the recommended size does {:.2} of the best one, {} KiB\n",
                   name_of(way_of(best->configuration % points())), recommended->value.median / best->value.median,
                   size_of(best->configuration % points()) / KiB);
        }
    }

    Options options;
    std::array<std::size_t, console::CountList::capacity + 1> sizes{};
    std::size_t size_count = 0;
    std::array<SweepWay, value_names(SweepWay{}).size()> ways{};
    std::size_t way_count = 0;

  private:
    [[nodiscard]] std::span<std::size_t const> all_sizes() const { return std::span(sizes).first(size_count); }
    [[nodiscard]] SweepWay way_of(std::size_t point) const { return ways[point / size_count]; }
    [[nodiscard]] std::size_t size_of(std::size_t point) const { return sizes[point % size_count]; }
    [[nodiscard]] bool is_recommended(std::size_t point) const {
        return size_of(point) == dataflow::recommended_bytes();
    }
    [[nodiscard]] GraphShape shape_of(std::size_t point) const {
        GraphShape shape{.rows = dataflow::rows_in(size_of(point), sizeof(std::uint64_t)),
                         .stages = options.stages,
                         .work = options.work};
        shape.envelopes = std::max(1U, (options.all_rows + shape.rows - 1) / shape.rows);
        return shape;
    }
};
constexpr auto sweep_benchmark = benchmark<DataflowExperiment<SweepBench>, sweep_schema>(
    {.summary = "rows per second through a pipe, by the size of envelopes",
     .notes = "Example: bench dataflow sweep --cores 2 --kib 5,10,20,50,100,200,400,800,1600,4000\n",
     .parent = "bench dataflow"});
MXK_REGISTER(mxk_commands, console::Command, sweep_benchmark);

} // namespace
} // namespace mxk::bench
