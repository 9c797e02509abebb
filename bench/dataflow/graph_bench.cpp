#include "bench/dataflow/graph_bench.hpp"

#include <algorithm>

#include "bench/dataflow/graph_boxes.hpp"
#include "tasks/dataflow/graph/envelope_size.hpp"
#include "tasks/dataflow/graph/parallel_sort_box.hpp"
#include "tasks/dataflow/graph/sort_box.hpp"

namespace mxk::bench {
namespace {

using List = GraphScenario::List;
using Tail = GraphScenario::Tail;

bool is_recommended(std::size_t bytes) {
    return bytes == dataflow::recommended_bytes();
}

std::uint32_t rows_of(std::size_t typed) {
    return dataflow::rows_or_recommended(static_cast<std::uint32_t>(typed), sizeof(std::uint64_t));
}

} // namespace

Result<void> GraphBench::complete() {
    auto const heaps = options_.others_heap.kinds();
    if (heaps.size() > 1) return Error("expected one allocator for the others' heap");
    others_heap_ = heaps.empty() ? nullptr : heaps[0];
    if (others_heap_ != nullptr && others_heap_->open != nullptr) MXK_TRY(others_heap_->open());
    options_.rows = rows_of(options_.rows);
    options_.sort_ways = or_all(options_.sort_ways);
    options_.sweep_ways = or_all(options_.sweep_ways);
    for (std::uint32_t const typed : options_.list.values())
        values_[value_count_++] = has_sizes() ? typed * KiB : scenario_.list == List::Rows ? rows_of(typed) : typed;
    if (!has_sizes()) return {};
    if (std::ranges::find(values(), dataflow::recommended_bytes()) == values().end())
        values_[value_count_++] = dataflow::recommended_bytes();
    std::ranges::sort(std::span(values_).first(value_count_));
    return {};
}

void GraphBench::add_axes() {
    switch (scenario_.ways) {
    case GraphScenario::Ways::None: break;
    case GraphScenario::Ways::Sort: add(Axis::chosen("way", 10, options_.sort_ways)); break;
    case GraphScenario::Ways::Sweep: add(Axis::chosen("way", 11, options_.sweep_ways)); break;
    }
    if (scenario_.ways != GraphScenario::Ways::None) ++values_axis_;
    if (options_.plans.size() != 0) add(options_.plans.axis());
    switch (scenario_.list) {
    case List::None: return;
    case List::Requests: return add(Axis::of("requests", 8, values()));
    case List::Envelopes: return add(Axis::of("envelopes", 9, values()));
    case List::Rows: return add(Axis::of("rows", 8, values()));
    case List::Kibibytes: return add(Axis::of("KiB", 7, values(), "bytes"));
    }
}

bool GraphBench::is_judged(Claim const& /*claim*/, Point const& point) const {
    switch (scenario_.judged) {
    case GraphScenario::Judged::Everywhere: return true;
    case GraphScenario::Judged::MinRows: return value_at(point) == std::ranges::min(values());
    case GraphScenario::Judged::MaxAtOnce: break;
    }
    return plan_at(point).at_once == options_.plans.max_at_once();
}

GraphShape GraphBench::shape_at(Point const& point) const {
    GraphShape shape = options_;
    if (scenario_.list == List::Envelopes) shape.envelopes = static_cast<std::uint32_t>(value_at(point));
    if (scenario_.list == List::Rows) shape.rows = static_cast<std::uint32_t>(value_at(point));
    if (has_sizes()) shape.rows = dataflow::rows_in(value_at(point), sizeof(std::uint64_t));
    if (options_.min_rows != 0) shape.envelopes = std::max(1U, (options_.min_rows + shape.rows - 1) / shape.rows);
    if (shape.envelopes == 0) shape.envelopes = std::clamp(20'000'000U / shape.rows, 500U, 100'000U);
    return shape;
}

RequestPlan GraphBench::plan_at(Point const& point) const {
    if (options_.plans.size() != 0) return options_.plans[point[values_axis_]];
    bool const is_alone = chosen_at(options_.sweep_ways, point[first_axis]) == SweepWay::InSequence;
    return {.rounds = options_.requests, .at_once = is_alone ? 1 : static_cast<std::uint32_t>(cores(point).size())};
}

Result<void> GraphBench::make_model(dataflow::Model& model, Point const& point) const {
    GraphShape const shape = shape_at(point);
    auto last = begin_graph(model, shape);
    if (scenario_.tail == Tail::PipeAndSort)
        for (std::uint32_t stage = 0; stage < shape.stages; ++stage)
            last = append(model, last, model.add<StageBox>("pipe", shape.branches, stage));
    SortWay way = scenario_.tail == Tail::CollectedSort ? SortWay::Collected : SortWay::OnArrival;
    if (scenario_.ways == GraphScenario::Ways::Sort) way = chosen_at(options_.sort_ways, point[first_axis]);
    if (scenario_.tail != Tail::Sink)
        last = append(model, last, [&] {
            switch (way) {
            case SortWay::OnArrival: return model.add<dataflow::SortBox>("sort", shape.rows);
            case SortWay::Collected: return model.add<dataflow::CollectingSortBox>("sort", shape.rows);
            case SortWay::Tasks: break;
            }
            return model.add<dataflow::ParallelSortBox>("sort", shape.rows, shape.rows);
        }());
    bool const is_sorted = scenario_.tail == Tail::Sort || scenario_.tail == Tail::PipeAndSort;
    append(model, last, is_sorted ? model.add<SortedSinkBox>("sink") : model.add<SinkBox>("sink"));
    return model.check();
}

bool GraphBench::is_right(GraphShape const& shape, GraphResult const& done) const {
    if (scenario_.tail != Tail::PipeAndSort) return done.is_right(shape);
    // Of what the pipe makes of the join's rows.
    RowSteps const pipe = RowSteps::of(std::uint64_t{shape.stages} * shape.work);
    return done.check_sum == pipe.factor * shape.check_sum() + pipe.summand * shape.all_rows() &&
           done.rows == shape.all_rows() && done.is_in_order;
}

void GraphBench::print_what(TextSink& out) const {
    scenario_.print_what(out, options_);
    if (others_heap_ != nullptr) format(out, "; memory of all but requests: {}", others_heap_->name);
}

void GraphBench::print_value(TextSink& out, std::size_t axis, std::size_t at) const {
    if (axis == values_axis_ && options_.plans.size() != 0) return options_.plans[at].print(out);
    if (axis != values_axis_ || !has_sizes()) return GridExperiment::print_value(out, axis, at);
    format(out, "{}{}", values_[at] / KiB, is_recommended(values_[at]) ? "*" : " ");
}

void GraphBench::write_value(JsonWriter& json, std::size_t axis, std::size_t at) const {
    if (axis == values_axis_ && options_.plans.size() != 0) return options_.plans[at].write(json);
    DataflowExperiment::write_value(json, axis, at);
}

void GraphBench::write_options(JsonWriter& json, Point const& point) const {
    GraphShape const shape = shape_at(point);
    std::array const known{NamedField{"envelopes", shape.envelopes},
                           NamedField{"rows", shape.rows},
                           NamedField{"branches", shape.branches},
                           NamedField{"width", shape.branches},
                           NamedField{"stages", shape.stages},
                           NamedField{"depth", shape.stages},
                           NamedField{"work", shape.work},
                           NamedField{"slow", shape.slow},
                           NamedField{"capacity", shape.capacity},
                           NamedField{"requests", options_.requests},
                           NamedField{"interval_pct", options_.interval},
                           NamedField{"recommended", has_sizes() && is_recommended(value_at(point))},
                           NamedField{"others_heap", others_heap_ != nullptr ? others_heap_->name : "mxk"}};
    for (std::string_view const key : scenario_.fields)
        for (NamedField const& field : known)
            if (field.key == key) json.field(field.key, field.value);
}

void GraphBench::conclude_points(TextSink& out, std::span<Row const> rows) const {
    for (std::size_t first = 0; has_sizes() && first < rows.size(); first += value_count_) {
        Row const* best = nullptr;
        Row const* recommended = nullptr;
        for (Row const& row : rows.subspan(first, value_count_)) {
            if (row.value.n == 0) continue;
            if (best == nullptr || row.value.median > best->value.median) best = &row;
            if (is_recommended(value_at(point_of(row)))) recommended = &row;
        }
        if (best == nullptr || recommended == nullptr) continue;
        format(out, "{}: the recommended size does {:.2} of the best one, {} KiB\n",
               name_at(first_axis, point_of(*best)[first_axis]), recommended->value.median / best->value.median,
               value_at(point_of(*best)) / KiB);
    }
}

} // namespace mxk::bench
