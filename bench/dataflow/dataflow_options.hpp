// What all benchmarks of the dataflow scheduler can be told.
#pragma once

#include <cstdint>

#include "bench/dataflow/discipline_names.hpp"
#include "bench/dataflow/node_distances.hpp"
#include "bench/frame/run_options.hpp"
#include "kernel/console/options.hpp"

namespace mxk::bench {

struct DataflowOptions : CoreSetOptions {
    constexpr DataflowOptions()
        : CoreSetOptions{{.repeat = 5, .warm_up = 1}, {}} {}

    // With these options, of this discipline.
    [[nodiscard]] dataflow::SchedulerOptions scheduler(Discipline discipline) const {
        return {.discipline = discipline,
                .sleep_rule = sleep_rule,
                .reruns_bound = reruns_bound,
                .steals_first = steals_first,
                .patience = Nanoseconds{patience},
                .seed = seed};
    }

    DisciplineSet disciplines{}; // empty: the benchmark's default
    dataflow::SleepRule sleep_rule = dataflow::SleepRule::Strict;
    bool reruns_bound = false;
    bool steals_first = false;
    std::uint64_t patience = static_cast<std::uint64_t>(dataflow::SchedulerOptions{}.patience);
    DistanceSource distances = DistanceSource::Slit;
    bool no_peers = false;
    std::uint64_t seed = 1;
};

namespace dataflow_option {
constexpr auto disciplines = console::option<&DataflowOptions::disciplines>(
    "discipline", "requests, two-fifos, one-fifo, one-lifo, original, core-fifo, with commas between");
constexpr auto sleep_rule =
    console::option<&DataflowOptions::sleep_rule>("sleep", "when a core may sleep (tasks/dataflow/activity.hpp)");
constexpr auto reruns_bound = console::flag<&DataflowOptions::reruns_bound>(
    "reruns-bound", "what was asked for while it ran keeps its binding, as in the original scheduler");
constexpr auto steals_first =
    console::flag<&DataflowOptions::steals_first>("steals-first", "cores steal before they take unbound tasks");
constexpr auto patience = console::option<&DataflowOptions::patience>(
    "patience",
    "ns; a core without work leaves tasks to cores that run them themselves within this time; 0: it takes them at once",
    console::between(0, 1'000'000));
constexpr auto distances = console::option<&DataflowOptions::distances>(
    "distances", "between nodes: slit, as the firmware says; measured, before the first run");
constexpr auto no_peers = console::flag<&DataflowOptions::no_peers>("no-peers", "without libraries of others");
constexpr auto seed = console::option<&DataflowOptions::seed>("seed", "of what is drawn");
} // namespace dataflow_option

} // namespace mxk::bench
