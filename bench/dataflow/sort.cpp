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

constexpr auto sort_schema = dataflow_schema<SortOptions>(
    console::option<&SortOptions::ways>("way", "on-arrival, collected, tasks (none given: all)"),
    console::option<&SortOptions::plans>("requests", "PxQ: P times Q requests, up to Q at a time"),
    console::option<&SortOptions::rows>("rows", "of an envelope, 8 bytes each; 0: the recommended number",
                                        console::between(0, 10'000'000)),
    console::option<&SortOptions::all_rows>("all-rows", "of a request, or somewhat more",
                                            console::between(1, 1'000'000'000)));

constexpr DataflowPlan sort_plan{.name = "dataflow sort", .unit = Unit::OperationsPerSecond};

class SortBench final : public DataflowBench<SortOptions, sort_plan> {
  public:
    using DataflowBench::DataflowBench;

  private:
    static constexpr std::size_t plan_axis = first_axis + 1;

    Result<void> complete() override {
        options_.ways = or_all(options_.ways);
        shape_ = {.rows = dataflow::rows_or_recommended(options_.rows, sizeof(std::uint64_t)), .stages = 1, .work = 2};
        shape_.envelopes = std::max(1U, (options_.all_rows + shape_.rows - 1) / shape_.rows);
        return {};
    }
    void add_axes() override {
        add(Axis::chosen("way", 10, options_.ways));
        add(options_.plans.axis());
    }
    void print_value(TextSink& out, std::size_t axis, std::size_t at) const override {
        if (axis != plan_axis) return GridExperiment::print_value(out, axis, at);
        options_.plans[at].print(out);
    }
    void write_value(JsonWriter& json, std::size_t axis, std::size_t at) const override {
        if (axis != plan_axis) return DataflowExperiment::write_value(json, axis, at);
        options_.plans[at].write(json);
    }

    Result<void> run_flow(DataflowRun const& run) override {
        dataflow::Model model;
        auto last = begin_graph(model, shape_);
        last = append(model, last, add_sort(model, chosen_at(options_.ways, run.point[first_axis])));
        append(model, last, model.add<SortedSinkBox>("sink"));
        MXK_TRY(model.check());
        return measure_stream(run, model, shape_, options_.plans[run.point[plan_axis]]);
    }
    void print_what(TextSink& out) const override {
        format(out, "requests of {} envelopes of {} rows", shape_.envelopes, shape_.rows);
    }
    void write_options(JsonWriter& json, Point const& /*point*/) const override {
        write_fields(json, {{"rows", shape_.rows}, {"envelopes", shape_.envelopes}});
    }

    dataflow::Model::BoxId add_sort(dataflow::Model& model, SortWay way) const {
        switch (way) {
        case SortWay::OnArrival: return model.add<dataflow::SortBox>("sort", shape_.rows);
        case SortWay::Collected: return model.add<dataflow::CollectingSortBox>("sort", shape_.rows);
        default: return model.add<dataflow::ParallelSortBox>("sort", shape_.rows, shape_.rows);
        }
    }

    GraphShape shape_{};
};
constexpr auto sort_benchmark = benchmark<SortBench, sort_schema>(
    {.summary = "rows per second that are sorted: as they come, when all have come, or by tasks of the box",
     .notes = "Example: bench dataflow sort --all-rows 10M --requests 1x1\n",
     .parent = "bench dataflow"});
MXK_REGISTER(mxk_commands, console::Command, sort_benchmark);

} // namespace
} // namespace mxk::bench
