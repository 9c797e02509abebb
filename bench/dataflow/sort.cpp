// `bench dataflow sort`: rows per second through a box that sorts (B17, and the thesis' figure 9.1): as they come, or
// when all have come; and by tasks of the box, on as many cores as there are.
#include <algorithm>
#include <array>
#include <span>

#include "bench/dataflow/graph_stream.hpp"
#include "bench/dataflow/sorted_sink.hpp"
#include "tasks/dataflow/graph/envelope_size.hpp"
#include "tasks/dataflow/graph/parallel_sort_box.hpp"
#include "tasks/dataflow/graph/sort_box.hpp"

namespace mxk::bench {

enum class SortWay : std::uint8_t { OnArrival, Collected, Tasks };
constexpr auto value_names(SortWay) {
    using Named = console::NamedValue<SortWay>;
    return std::array{Named{SortWay::OnArrival, "on-arrival"}, Named{SortWay::Collected, "collected"},
                      Named{SortWay::Tasks, "tasks"}};
}

namespace {

struct SortOptions : DataflowOptions {
    NameSet<SortWay> ways{};
    RequestPlans plans{{2, 1}, {1, 2}};
    std::uint32_t rows = 0;
    std::uint32_t all_rows = 1'000'000;
};

constexpr auto sort_schema = console::schema<SortOptions>(
    dataflow_option::disciplines, core_set_option::cores,
    console::option<&SortOptions::ways>("way", "on-arrival, collected, tasks (none given: all)"),
    console::option<&SortOptions::plans>("requests", "PxQ: P times Q requests, up to Q at a time"),
    console::option<&SortOptions::rows>("rows", "of an envelope, 8 bytes each; 0: the recommended number",
                                        console::between(0, 10'000'000)),
    console::option<&SortOptions::all_rows>("all-rows", "of a request, or somewhat more",
                                            console::between(1, 1'000'000'000)),
    dataflow_option::sleep_rule, dataflow_option::reruns_bound, dataflow_option::steals_first,
    dataflow_option::patience, dataflow_option::seed, run_option::repeat, run_option::warm_up, run_option::json);

struct SortBench {
    using Options = SortOptions;
    static constexpr std::string_view name = "dataflow sort";
    static constexpr Unit unit = Unit::OperationsPerSecond;
    static constexpr DisciplineSet default_disciplines{Discipline::Requests};
    static constexpr bool has_peers = false;

    explicit SortBench(Options const& its_options)
        : options(its_options) {}
    Result<void> prepare() {
        if (options.ways.empty()) options.ways = {SortWay::OnArrival, SortWay::Collected, SortWay::Tasks};
        for (auto const& [way, its_name] : value_names(SortWay{}))
            if (options.ways.has(way)) ways[way_count++] = way;
        shape = {.rows = dataflow::rows_or_recommended(options.rows, sizeof(std::uint64_t)), .stages = 1, .work = 2};
        shape.envelopes = std::max(1U, (options.all_rows + shape.rows - 1) / shape.rows);
        return {};
    }
    [[nodiscard]] std::size_t points() const { return way_count * options.plans.size(); }
    static constexpr std::span<DataflowClaim const> claims() { return {}; }
    static bool is_judged(DataflowClaim const& /*claim*/, std::size_t /*point*/) { return true; }

    Result<void> run(DataflowRun const& run) const {
        RequestPlan const& plan = plan_of(run.point);
        dataflow::Model model;
        MXK_TRY(make_model(model, way_of(run.point)));
        return measure_stream(run, model, shape, plan);
    }

    void print_head(TextSink& out) const {
        format(out, "requests of {} envelopes of {} rows", shape.envelopes, shape.rows);
    }
    static void print_heading(TextSink& out) { format(out, " {:<10} {:<8}", "way", "requests"); }
    void print_point(TextSink& out, std::size_t point) const {
        FixedText<24> plan;
        format(plan, "{}x{}", plan_of(point).rounds, plan_of(point).at_once);
        format(out, " {:<10} {:<8}", name_of(way_of(point)), plan.view());
    }
    void write_point(JsonWriter& json, std::size_t point) const {
        json.field("way", name_of(way_of(point)));
        json.field("rounds", plan_of(point).rounds);
        json.field("at_once", plan_of(point).at_once);
        json.field("rows", shape.rows);
        json.field("envelopes", shape.envelopes);
    }

    Options options;
    GraphShape shape{};
    std::array<SortWay, value_names(SortWay{}).size()> ways{};
    std::size_t way_count = 0;

  private:
    [[nodiscard]] SortWay way_of(std::size_t point) const { return ways[point / options.plans.size()]; }
    [[nodiscard]] RequestPlan const& plan_of(std::size_t point) const {
        return options.plans[point % options.plans.size()];
    }
    dataflow::Model::BoxId add_sort(dataflow::Model& model, SortWay way) const {
        switch (way) {
        case SortWay::OnArrival: return model.add<dataflow::SortBox>("sort", shape.rows);
        case SortWay::Collected: return model.add<dataflow::CollectingSortBox>("sort", shape.rows);
        default: return model.add<dataflow::ParallelSortBox>("sort", shape.rows, shape.rows);
        }
    }
    Result<void> make_model(dataflow::Model& model, SortWay way) const {
        auto const last = begin_graph(model, shape);
        auto const sort = add_sort(model, way);
        model.connect(last, sort);
        model.connect(sort, model.add<SortedSinkBox>("sink"));
        return model.check();
    }
};
constexpr auto sort_benchmark = benchmark<DataflowExperiment<SortBench>, sort_schema>(
    {.summary = "rows per second that are sorted: as they come, when all have come, or by tasks of the box",
     .notes = "Example: bench dataflow sort --all-rows 10M --requests 1x1\n",
     .parent = "bench dataflow"});
MXK_REGISTER(mxk_commands, console::Command, sort_benchmark);

} // namespace
} // namespace mxk::bench
