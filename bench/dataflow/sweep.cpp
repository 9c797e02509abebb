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

constexpr auto sweep_schema = dataflow_schema<SweepOptions>(
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
                                         console::between(0, 10'000)));

constexpr DataflowPlan sweep_plan{.name = "dataflow sweep", .unit = Unit::OperationsPerSecond};

class SweepBench final : public DataflowBench<SweepOptions, sweep_plan> {
  public:
    using DataflowBench::DataflowBench;

  private:
    static constexpr std::size_t size_axis = first_axis + 1;

    Result<void> complete() override {
        options_.ways = or_all(options_.ways);
        for (std::uint32_t const kibibytes : options_.kibibytes.values()) sizes_[size_count_++] = kibibytes * KiB;
        if (std::ranges::find(sizes(), dataflow::recommended_bytes()) == sizes().end())
            sizes_[size_count_++] = dataflow::recommended_bytes();
        std::ranges::sort(std::span(sizes_).first(size_count_));
        return {};
    }
    void add_axes() override {
        add(Axis::chosen("way", 11, options_.ways));
        add(Axis::of("KiB", 7, sizes(), "bytes"));
    }
    void print_value(TextSink& out, std::size_t axis, std::size_t at) const override {
        if (axis != size_axis) return GridExperiment::print_value(out, axis, at);
        format(out, "{}{}", sizes_[at] / KiB, is_recommended(sizes_[at]) ? "*" : " ");
    }

    Result<void> run_flow(DataflowRun const& run) override {
        GraphShape const shape = shape_at(run.point);
        bool const is_alone = chosen_at(options_.ways, run.point[first_axis]) == SweepWay::InSequence;
        RequestPlan const plan{.rounds = options_.requests,
                               .at_once = is_alone ? 1 : static_cast<std::uint32_t>(run.cores.size())};
        dataflow::Model model;
        MXK_TRY(make_graph(model, shape));
        return measure_stream(run, model, shape, plan);
    }
    void print_what(TextSink& out) const override {
        format(out, "a pipe of {} stages; {} rows in a request; recommended (*): {} KiB in an envelope",
               options_.stages, options_.all_rows, dataflow::recommended_bytes() / KiB);
    }
    void write_options(JsonWriter& json, Point const& point) const override {
        GraphShape const shape = shape_at(point);
        write_fields(json, {{"recommended", is_recommended(sizes_[point[size_axis]])},
                            {"rows", shape.rows},
                            {"envelopes", shape.envelopes},
                            {"stages", shape.stages},
                            {"work", shape.work},
                            {"requests", options_.requests}});
    }
    // How good the recommended size is.
    void conclude_points(TextSink& out, std::span<Row const> rows) const override {
        for (std::size_t first = 0; first < rows.size(); first += size_count_) {
            Row const* best = nullptr;
            Row const* recommended = nullptr;
            for (Row const& row : rows.subspan(first, size_count_)) {
                if (row.value.n == 0) continue;
                if (best == nullptr || row.value.median > best->value.median) best = &row;
                if (is_recommended(size_of(row))) recommended = &row;
            }
            if (best == nullptr || recommended == nullptr) continue;
            format(out, "{}: the recommended size does {:.2} of the best one, {} KiB\n",
                   name_at(first_axis, point_of(*best)[first_axis]), recommended->value.median / best->value.median,
                   size_of(*best) / KiB);
        }
    }

    [[nodiscard]] std::span<std::size_t const> sizes() const { return std::span(sizes_).first(size_count_); }
    [[nodiscard]] std::size_t size_of(Row const& row) const { return sizes_[point_of(row)[size_axis]]; }
    static bool is_recommended(std::size_t size) { return size == dataflow::recommended_bytes(); }
    [[nodiscard]] GraphShape shape_at(Point const& point) const {
        GraphShape shape{.rows = dataflow::rows_in(sizes_[point[size_axis]], sizeof(std::uint64_t)),
                         .stages = options_.stages,
                         .work = options_.work};
        shape.envelopes = std::max(1U, (options_.all_rows + shape.rows - 1) / shape.rows);
        return shape;
    }

    std::array<std::size_t, console::CountList::capacity + 1> sizes_{};
    std::size_t size_count_ = 0;
};
constexpr auto sweep_benchmark = benchmark<SweepBench, sweep_schema>(
    {.summary = "rows per second through a pipe, by the size of envelopes",
     .notes = "Example: bench dataflow sweep --cores 2 --kib 5,10,20,50,100,200,400,800,1600,4000\n",
     .parent = "bench dataflow"});
MXK_REGISTER(mxk_commands, console::Command, sweep_benchmark);

} // namespace
} // namespace mxk::bench
