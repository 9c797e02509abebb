#include "bench/dataflow/dataflow_experiment.hpp"

#include "kernel/clock.hpp"
#include "kernel/console/named.hpp"

namespace mxk::bench {

SchedulerCounts::SchedulerCounts(dataflow::Scheduler const& scheduler) {
    for (std::size_t place = 0; place < scheduler.cores(); ++place) {
        dataflow::CoreCounts const& counts = scheduler.at(place).counts();
        bound += counts.bound.value();
        unbound += counts.unbound.value();
        stolen += counts.stolen.value();
        reruns += counts.reruns.value();
        locks += counts.locks.value();
    }
}

double SchedulerCounts::locks_per_unbound() const {
    return unbound == 0 ? 0 : static_cast<double>(locks) / static_cast<double>(unbound);
}

double SchedulerCounts::stolen_percent() const {
    std::uint64_t const all = bound + unbound + stolen;
    return all == 0 ? 0 : 100 * static_cast<double>(stolen) / static_cast<double>(all);
}

void DataflowExperiment::choose_systems() {
    DisciplineSet const chosen = options_.disciplines.empty() ? plan_.disciplines : options_.disciplines;
    for (auto const& [discipline, its_name] : value_names(Discipline{}))
        if (chosen.has(discipline)) systems_[system_count_++] = {.name = its_name, .discipline = discipline};
    if (!plan_.has_peers || options_.no_peers) return;
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
    add(plan_.claims);
    return {};
}

std::optional<Error> DataflowExperiment::unsupported_at(Point const& point) const {
    DataflowSystem const& system = systems_[point[0]];
    if (system.peer == nullptr) return cannot_run(system.discipline, point);
    return system.peer->missing.empty() ? std::nullopt : std::optional(Error(system.peer->missing));
}

Result<void> DataflowExperiment::run_at(Point const& point, std::span<Sample> samples, Progress& progress) {
    if (options_.distances == DistanceSource::Measured && distances_.span().empty())
        distances_ = MXK_TRY(NodeDistances::measure(progress));
    dataflow::SchedulerOptions scheduler = options_.scheduler(systems_[point[0]].discipline);
    scheduler.distances = distances_.span();
    return run_flow({.system = systems_[point[0]],
                     .scheduler = scheduler,
                     .cores = cores(point),
                     .point = point,
                     .sample = samples[0],
                     .progress = progress});
}

void DataflowExperiment::print_head(TextSink& out) const {
    format(out, "{}: ", plan_.name);
    print_what(out);
    format(out, "; {} runs per row\n", options_.repeat);
    for (DataflowSystem const& system : std::span(systems_).first(system_count_)) {
        if (system.peer == nullptr || system.peer->print_library == nullptr) continue;
        format(out, "{}: ", system.name);
        system.peer->print_library(out);
        out.write("\n");
    }
    if (options_.sleep_rule != dataflow::SleepRule::Strict) format(out, "sleep: {}\n", name_of(options_.sleep_rule));
    if (options_.reruns_bound) out.write("reruns are bound\n");
    if (options_.steals_first) out.write("cores steal before they take unbound tasks\n");
    if (options_.patience != DataflowOptions{}.patience) format(out, "patience: {} ns\n", options_.patience);
}

void DataflowExperiment::write_value(JsonWriter& json, std::size_t axis, std::size_t at) const {
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
                        {"patience_ns", options_.patience},
                        {"distances", name_of(options_.distances)},
                        {"seed", options_.seed}});
}

void DataflowExperiment::conclude(TextSink& out, std::span<Row const> rows) {
    if (!distances_.span().empty()) distances_.print(out);
    std::size_t const of_system = rows.size() / system_count_;
    std::size_t const points = of_system / core_sets().size();
    for (std::size_t first = 0; first < rows.size(); first += points) conclude_points(out, rows.subspan(first, points));
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

void print_ratio(TextSink& out, std::string_view what, Row const* row, std::string_view other_name, Row const* other) {
    if (row == nullptr || other == nullptr || row->value.n == 0 || other->value.n == 0) return;
    if (other->value.median <= 0) return;
    format(out, "{} takes {:.2} of {}\n", what, row->value.median / other->value.median, other_name);
}

} // namespace mxk::bench
