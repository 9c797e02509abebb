#include "bench/dataflow/dataflow_experiment.hpp"

#include <algorithm>

#include "bench/dataflow/graph_boxes.hpp"
#include "bench/frame/measured_part.hpp"
#include "bench/frame/steps.hpp"
#include "kernel/clock.hpp"
#include "kernel/console/named.hpp"
#include "kernel/topology/system_topology.hpp"
#include "tasks/dataflow/graph/envelope_size.hpp"
#include "tasks/dataflow/graph/parallel_sort_box.hpp"
#include "tasks/dataflow/graph/sort_box.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {
namespace {

using List = DataflowScenario::List;
using Tail = DataflowScenario::Tail;

// How cores without work wait.
struct Idling {
    Nanoseconds polls{0};
    Nanoseconds sleeps{0}; // 0: until they are woken
};

Result<void> set_idling(std::span<CoreId const> cores, Idling idling) {
    bool const is_set = run_on(cores, [idling](Worker& worker, std::size_t) {
        worker.set_polling_time(idling.polls);
        worker.set_sleep_time(idling.sleeps);
        return Step::Done;
    });
    return is_set ? Result<void>() : no_memory_for_steps();
}

std::uint32_t rows_of(std::size_t typed) {
    return dataflow::rows_or_recommended(static_cast<std::uint32_t>(typed), sizeof(std::uint64_t));
}

} // namespace

SchedulerCounts::SchedulerCounts(dataflow::Scheduler const& scheduler) {
    for (std::size_t place = 0; place < scheduler.cores(); ++place) {
        dataflow::CoreCounts const& counts = scheduler.at(place).counts();
        bound += counts.bound.value();
        unbound += counts.unbound.value();
        stolen += counts.stolen.value();
        reruns += counts.reruns.value();
        locks += counts.locks.value();
        sleeps += counts.sleeps.value();
    }
}

double SchedulerCounts::locks_per_unbound() const {
    return unbound == 0 ? 0 : static_cast<double>(locks) / static_cast<double>(unbound);
}

double SchedulerCounts::stolen_percent() const {
    std::uint64_t const all = bound + unbound + stolen;
    return all == 0 ? 0 : 100 * static_cast<double>(stolen) / static_cast<double>(all);
}

std::size_t count_nodes(std::span<CoreId const> cores) {
    auto const nodes = system_topology().nodes;
    return static_cast<std::size_t>(std::ranges::count_if(nodes, [&](topology::Node const& node) {
        return std::ranges::any_of(cores,
                                   [&](CoreId core) { return system_topology().cores[index(core)].node == node.id; });
    }));
}

bool is_of_thesis(Discipline discipline) {
    return discipline != Discipline::Original && discipline != Discipline::CoreFifo;
}

void DataflowExperiment::choose_systems() {
    DisciplineSet const chosen = options_.disciplines.empty() ? scenario_.disciplines : options_.disciplines;
    for (auto const& [discipline, its_name] : value_names(Discipline{}))
        if (chosen.has(discipline)) systems_[system_count_++] = {.name = its_name, .discipline = discipline};
    if (!scenario_.has_peers || options_.no_peers) return;
    console::for_each_by_name(registered_dataflow_peers(), [&](DataflowPeer const& peer) {
        if (system_count_ != max_systems) systems_[system_count_++] = {.name = peer.name, .peer = &peer};
    });
}

Result<void> DataflowExperiment::set_up() {
    MXK_TRY(complete());
    choose_systems();
    add(Axis::of("discipline", 14, std::span(systems_).first(system_count_)));
    MXK_TRY(add_cores(options_.cores));
    add_axes();
    add(scenario_.claims);
    return {};
}

std::optional<Error> DataflowExperiment::unsupported_at(Point const& point) const {
    DataflowSystem const& system = systems_[point[0]];
    if (system.peer == nullptr)
        return scenario_.cannot_run != nullptr ? scenario_.cannot_run(*this, system.discipline, point) : std::nullopt;
    return system.peer->missing.empty() ? std::nullopt : std::optional(Error(system.peer->missing));
}

Result<void> DataflowExperiment::run_at(Point const& point, std::span<Sample> samples, Progress& progress) {
    if (options_.distances == DistanceSource::Measured && distances_.span().empty())
        distances_ = MXK_TRY(NodeDistances::measure(progress));
    dataflow::SchedulerOptions scheduler = options_.scheduler(systems_[point[0]].discipline);
    scheduler.distances = distances_.span();
    Idling const before{.polls = workers::of(cores(point)[0]).polling_time()};
    Idling const idling{.polls = options_.waits_busily ? Nanoseconds{1'000'000'000'000} : before.polls,
                        .sleeps = Nanoseconds{options_.sleep_time}};
    bool const is_other = idling.polls != before.polls || idling.sleeps != before.sleeps;
    if (is_other) MXK_TRY(set_idling(cores(point), idling));
    // For a simulator. Where evidence is taken or events are counted, that would be of this core alone.
    bool const is_seen = !are_parts_watched();
    if (is_seen) measured_part_begins();
    auto ended = scenario_.run({.bench = *this,
                                .options = options_,
                                .system = systems_[point[0]],
                                .scheduler = scheduler,
                                .cores = cores(point),
                                .point = point,
                                .shape = shape_at(point),
                                .sample = samples[0],
                                .progress = progress});
    if (is_seen) measured_part_ends();
    if (is_other) MXK_TRY(set_idling(cores(point), before));
    return ended;
}

void DataflowExperiment::print_head(TextSink& out) const {
    format(out, "{}: ", scenario_.name);
    scenario_.print_what(out, options_);
    if (others_heap_ != nullptr) format(out, "; memory of all but requests: {}", others_heap_->name);
    format(out, "; {} runs per row\n", options_.repeat.text().view());
    for (DataflowSystem const& system : std::span(systems_).first(system_count_)) {
        if (system.peer == nullptr || system.peer->print_library == nullptr) continue;
        format(out, "{}: ", system.name);
        system.peer->print_library(out);
        out.write("\n");
    }
    if (options_.sleep_rule != dataflow::SleepRule::Strict) format(out, "sleep: {}\n", name_of(options_.sleep_rule));
    if (options_.reruns_bound) out.write("reruns are bound\n");
    if (options_.waits_busily) out.write("idle cores never sleep\n");
    if (options_.sleep_time != 0) format(out, "idle cores sleep for {} ns, and are not woken\n", options_.sleep_time);
    if (options_.scans_under_lock) out.write("unbound tasks are looked for under the node's lock\n");
    if (options_.steals_first) out.write("cores steal before they take unbound tasks\n");
    if (options_.patience != DataflowOptions::default_patience) format(out, "patience: {} ns\n", options_.patience);
}

void DataflowExperiment::write_value(JsonWriter& json, std::size_t axis, std::size_t at) const {
    if (has_plans(axis)) return options_.plans[at].write(json);
    GridExperiment::write_value(json, axis, at);
    if (axis != 0) return;
    if (DataflowPeer const* const peer = systems_[at].peer; peer != nullptr) {
        FixedText<96> library;
        if (peer->print_library != nullptr) peer->print_library(library);
        return json.field("library", library.view());
    }
    write_fields(json, {{"library", "none"},
                        {"sleep", name_of(options_.sleep_rule)},
                        {"reruns_bound", options_.reruns_bound},
                        {"steals_first", options_.steals_first},
                        {"busy_wait", options_.waits_busily},
                        {"sleep_time_ns", options_.sleep_time},
                        {"locked_scan", options_.scans_under_lock},
                        {"patience_ns", options_.patience},
                        {"distances", name_of(options_.distances)},
                        {"seed", options_.seed}});
}

void DataflowExperiment::conclude(TextSink& out, std::span<Row const> rows) {
    if (!distances_.span().empty()) distances_.print(out);
    std::size_t const of_system = rows.size() / system_count_;
    std::size_t const points = of_system / core_sets().size();
    for (std::size_t first = 0; scenario_.conclude != nullptr && first < rows.size(); first += points)
        scenario_.conclude(out, *this, rows.subspan(first, points));
    if (system_count_ < 2) return;
    for (Row const& first : rows.first(of_system)) {
        if (first.value.n == 0 || first.value.median <= 0) continue;
        print_place(out, point_of(first), 1);
        format(out, ": {}", systems_[0].name);
        std::string_view separator = " by ";
        for (std::size_t other = 1; other < system_count_; ++other) {
            Row const& row = rows[other * of_system + first.configuration];
            if (row.value.n == 0 || row.value.median <= 0) continue;
            format(out, "{}{} {:.2}", separator, systems_[other].name, first.value.median / row.value.median);
            separator = ", ";
        }
        out.write("\n");
    }
}

Result<void> DataflowExperiment::complete() {
    auto const heaps = options_.others_heap.kinds();
    if (heaps.size() > 1) return Error("expected one allocator for the others' heap");
    others_heap_ = heaps.empty() ? nullptr : heaps[0];
    if (others_heap_ != nullptr && others_heap_->open != nullptr) MXK_TRY(others_heap_->open());
    if (options_.waits_busily && options_.sleep_time != 0)
        return Error("expected --busy-wait, or --sleep-time, not both: cores that wait busily never sleep");
    if (options_.scans_under_lock && options_.disciplines != DisciplineSet{Discipline::Requests})
        return Error("expected '--discipline requests' with --locked-scan: others have no queues of requests");
    options_.rows = rows_of(options_.rows);
    for (std::uint32_t const typed : options_.list.values())
        values_[value_count_++] = has_sizes() ? typed * KiB : scenario_.list == List::Rows ? rows_of(typed) : typed;
    if (!has_sizes()) return {};
    if (std::ranges::find(values(), dataflow::recommended_bytes()) == values().end())
        values_[value_count_++] = dataflow::recommended_bytes();
    std::ranges::sort(std::span(values_).first(value_count_));
    return {};
}

void DataflowExperiment::add_axes() {
    if (scenario_.ways != nullptr) {
        add(scenario_.ways(options_));
        ++values_axis_;
    }
    if (options_.plans.size() != 0) add(options_.plans.axis());
    switch (scenario_.list) {
    case List::None: return;
    case List::Requests: return add(Axis::of("requests", 8, values()));
    case List::Envelopes: return add(Axis::of("envelopes", 9, values()));
    case List::Rows: return add(Axis::of("rows", 8, values()));
    case List::Kibibytes: return add(Axis::of("KiB", 7, values(), "bytes"));
    }
}

GraphShape DataflowExperiment::shape_at(Point const& point) const {
    GraphShape shape = options_;
    if (scenario_.list == List::Envelopes) shape.envelopes = static_cast<std::uint32_t>(value_at(point));
    if (scenario_.list == List::Rows) shape.rows = static_cast<std::uint32_t>(value_at(point));
    if (has_sizes()) shape.rows = dataflow::rows_in(value_at(point), sizeof(std::uint64_t));
    if (options_.min_rows != 0) shape.envelopes = std::max(1U, (options_.min_rows + shape.rows - 1) / shape.rows);
    if (shape.envelopes == 0) shape.envelopes = std::clamp(20'000'000U / shape.rows, 500U, 100'000U);
    return shape;
}

RequestPlan DataflowExperiment::plan_at(Point const& point) const {
    if (options_.plans.size() != 0) return options_.plans[point[values_axis_]];
    bool const is_alone = chosen_at(options_.sweep_ways, point[ways_axis]) == SweepWay::InSequence;
    return {.rounds = options_.requests, .at_once = is_alone ? 1 : static_cast<std::uint32_t>(cores(point).size())};
}

Result<void> DataflowExperiment::make_model(dataflow::Model& model, Point const& point) const {
    GraphShape const shape = shape_at(point);
    auto last = begin_graph(model, shape);
    if (scenario_.tail == Tail::PipeAndSort)
        for (std::uint32_t stage = 0; stage < shape.stages; ++stage)
            last = append(model, last, model.add<StageBox>("pipe", shape.branches, stage));
    SortWay way = scenario_.tail == Tail::CollectedSort ? SortWay::Collected : SortWay::OnArrival;
    if (scenario_.tail == Tail::Sort) way = chosen_at(options_.sort_ways, point[ways_axis]);
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

bool DataflowExperiment::is_right(GraphShape const& shape, GraphResult const& done) const {
    if (scenario_.tail != Tail::PipeAndSort) return done.is_right(shape);
    // Of what the pipe makes of the join's rows.
    RowSteps const pipe = RowSteps::of(std::uint64_t{shape.stages} * shape.work);
    return done.check_sum == pipe.factor * shape.check_sum() + pipe.summand * shape.all_rows() &&
           done.rows == shape.all_rows() && done.is_in_order;
}

void DataflowExperiment::print_value(TextSink& out, std::size_t axis, std::size_t at) const {
    if (has_plans(axis)) return options_.plans[at].print(out);
    if (axis != values_axis_ || !has_sizes()) return GridExperiment::print_value(out, axis, at);
    format(out, "{}{}", values_[at] / KiB, values_[at] == dataflow::recommended_bytes() ? "*" : " ");
}

void DataflowExperiment::write_options(JsonWriter& json, Point const& point) const {
    if (scenario_.write != nullptr) return scenario_.write(json, options_, point);
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
                           NamedField{"idle_ms", options_.milliseconds},
                           NamedField{"pings", options_.requests},
                           NamedField{"tasks", options_.operations},
                           NamedField{"table_kib", options_.table_kib},
                           NamedField{"every_us", options_.every},
                           NamedField{"recommended", has_sizes() && value_at(point) == dataflow::recommended_bytes()},
                           NamedField{"others_heap", others_heap_ != nullptr ? others_heap_->name : "mxk"}};
    for (std::string_view const key : scenario_.fields)
        for (NamedField const& field : known)
            if (field.key == key) json.field(field.key, field.value);
}

} // namespace mxk::bench
