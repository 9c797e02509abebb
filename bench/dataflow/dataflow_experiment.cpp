#include "bench/dataflow/dataflow_experiment.hpp"

#include "kernel/console/named.hpp"

namespace mxk::bench {

DataflowSystems DataflowSystems::of(DisciplineSet disciplines, bool with_peers) {
    DataflowSystems result;
    for (auto const& [discipline, its_name] : value_names(Discipline{}))
        if (disciplines.has(discipline)) result.systems_[result.size_++] = {.name = its_name, .discipline = discipline};
    if (!with_peers) return result;
    console::for_each_by_name(registered_dataflow_peers(), [&](DataflowPeer const& peer) {
        if (result.size_ != capacity) result.systems_[result.size_++] = {.name = peer.name, .peer = &peer};
    });
    return result;
}

std::optional<std::size_t> DataflowSystems::find(std::string_view name) const {
    for (std::size_t at = 0; at < size_; ++at)
        if (systems_[at].name == name) return at;
    return std::nullopt;
}

SchedulerCounts::SchedulerCounts(dataflow::Scheduler const& scheduler) {
    for (std::size_t place = 0; place < scheduler.cores(); ++place) {
        dataflow::CoreCounts const& counts = scheduler.at(place).counts();
        bound += counts.bound.value();
        unbound += counts.unbound.value();
        stolen += counts.stolen.value();
        admitted += counts.admitted.value();
        reruns += counts.reruns.value();
        locks += counts.locks.value();
        sleeps += counts.sleeps.value();
        own_rises += counts.own_rises.value();
    }
}

double SchedulerCounts::locks_per_unbound() const {
    return unbound == 0 ? 0 : static_cast<double>(locks) / static_cast<double>(unbound);
}

double SchedulerCounts::stolen_percent() const {
    std::uint64_t const all = bound + unbound + stolen;
    return all == 0 ? 0 : 100 * static_cast<double>(stolen) / static_cast<double>(all);
}

void write_dataflow_system(JsonWriter& json, DataflowSystem const& system, DataflowOptions const& options) {
    json.field("discipline", system.name);
    if (system.peer != nullptr) {
        FixedText<96> library;
        if (system.peer->print_library != nullptr) system.peer->print_library(library);
        return json.field("library", library.view());
    }
    json.field("library", "none");
    json.field("sleep", name_of(options.sleep_rule));
    json.field("reruns_bound", options.reruns_bound);
    json.field("steals_first", options.steals_first);
    json.field("patience_ns", options.patience);
    json.field("distances", name_of(options.distances));
    json.field("seed", options.seed);
}

void print_dataflow_head(TextSink& out, DataflowSystems const& systems, DataflowOptions const& options) {
    for (std::size_t at = 0; at < systems.size(); ++at) {
        DataflowPeer const* const peer = systems[at].peer;
        if (peer == nullptr || peer->print_library == nullptr) continue;
        format(out, "{}: ", peer->name);
        peer->print_library(out);
        out.write("\n");
    }
    if (options.sleep_rule != dataflow::SleepRule::Strict) format(out, "sleep: {}\n", name_of(options.sleep_rule));
    if (options.reruns_bound) out.write("reruns are bound\n");
    if (options.steals_first) out.write("cores steal before they take unbound tasks\n");
    if (options.patience != DataflowOptions{}.patience) format(out, "patience: {} ns\n", options.patience);
}

} // namespace mxk::bench
