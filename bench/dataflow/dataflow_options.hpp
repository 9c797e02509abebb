// What the benchmarks of the dataflow scheduler can be told.
#pragma once

#include <array>
#include <cstdint>

#include "bench/dataflow/discipline_names.hpp"
#include "bench/dataflow/graph_shape.hpp"
#include "bench/dataflow/node_distances.hpp"
#include "bench/dataflow/request_stream.hpp"
#include "bench/frame/run_options.hpp"
#include "bench/heap/heap_names.hpp"
#include "kernel/console/options.hpp"

namespace mxk::bench {

enum class SortWay : std::uint8_t { OnArrival, Collected, Tasks };
constexpr auto value_names(SortWay) {
    using Named = console::NamedValue<SortWay>;
    return std::array{Named{SortWay::OnArrival, "on-arrival"}, Named{SortWay::Collected, "collected"},
                      Named{SortWay::Tasks, "tasks"}};
}

enum class SweepWay : std::uint8_t { InSequence, AllCores };
constexpr auto value_names(SweepWay) {
    using Named = console::NamedValue<SweepWay>;
    return std::array{Named{SweepWay::InSequence, "in-sequence"}, Named{SweepWay::AllCores, "all-cores"}};
}

enum class EmptyTaskWay : std::uint8_t { Bound, Unbound, Again };
constexpr auto value_names(EmptyTaskWay) {
    using Named = console::NamedValue<EmptyTaskWay>;
    return std::array{Named{EmptyTaskWay::Bound, "bound"}, Named{EmptyTaskWay::Unbound, "unbound"},
                      Named{EmptyTaskWay::Again, "again"}};
}

enum class CounterWay : std::uint8_t { Word, Lock };
constexpr auto value_names(CounterWay) {
    using Named = console::NamedValue<CounterWay>;
    return std::array{Named{CounterWay::Word, "word"}, Named{CounterWay::Lock, "lock"}};
}

enum class BalanceWay : std::uint8_t { OneNode, Balanced, Chosen, GiantAlone, GiantShared };
constexpr auto value_names(BalanceWay) {
    using Named = console::NamedValue<BalanceWay>;
    return std::array{Named{BalanceWay::OneNode, "one-node"}, Named{BalanceWay::Balanced, "balanced"},
                      Named{BalanceWay::Chosen, "chosen"}, Named{BalanceWay::GiantAlone, "giant-alone"},
                      Named{BalanceWay::GiantShared, "giant-shared"}};
}

enum class PlaceWay : std::uint8_t { FirstFirst, SecondSecond, FirstFar, Heap, Moved, Left };
constexpr auto value_names(PlaceWay) {
    using Named = console::NamedValue<PlaceWay>;
    return std::array{Named{PlaceWay::FirstFirst, "0/0"}, Named{PlaceWay::SecondSecond, "1/1"},
                      Named{PlaceWay::FirstFar, "0/far"}, Named{PlaceWay::Heap, "heap"},
                      Named{PlaceWay::Moved, "moved"},    Named{PlaceWay::Left, "left"}};
}

// Of each benchmark, what its options say besides the shape of its requests.
struct DataflowChoices {
    console::CountList list{}; // the values of its axis
    RequestPlans plans{};
    NameSet<SortWay> sort_ways{};
    NameSet<SweepWay> sweep_ways{};
    NameSet<EmptyTaskWay> task_ways{};
    NameSet<CounterWay> counter_ways{};
    NameSet<BalanceWay> balance_ways{};
    NameSet<PlaceWay> place_ways{};
    NameSet<dataflow::VictimOrder> victims{};
    std::uint32_t requests = 1;
    std::uint32_t min_rows = 0; // of a request, which has as many envelopes as that takes; 0: envelopes are chosen
    std::uint32_t interval = 0;
    HeapNames others_heap{}; // empty: ours
    std::uint64_t operations = 0;
    std::uint32_t milliseconds = 0;
    std::uint32_t table_kib = 0;
    std::uint32_t giant_envelopes = 0;
    std::uint32_t giant_stages = 0;
    std::uint32_t every = 0; // microseconds
};

struct DataflowOptions : CoreSetOptions, GraphShape, DataflowChoices {
    constexpr DataflowOptions(GraphShape const& its_shape, DataflowChoices const& choices)
        : CoreSetOptions{{.repeat = 5, .warm_up = 1}, {}}
        , GraphShape(its_shape)
        , DataflowChoices(choices) {}

    // With these options, of this discipline.
    [[nodiscard]] dataflow::SchedulerOptions scheduler(Discipline discipline) const {
        return {.discipline = discipline,
                .sleep_rule = sleep_rule,
                .scans_under_lock = scans_under_lock,
                .reruns_bound = reruns_bound,
                .steals_first = steals_first,
                .patience = Nanoseconds{patience},
                .shares_at_once = false, // as in the thesis
                .seed = seed};
    }

    static constexpr std::uint64_t default_patience = raw(dataflow::SchedulerOptions{}.patience);

    DisciplineSet disciplines{}; // empty: the benchmark's default
    dataflow::SleepRule sleep_rule = dataflow::SleepRule::Strict;
    bool reruns_bound = false;
    bool steals_first = false;
    bool waits_busily = false;
    bool scans_under_lock = false;
    std::uint64_t sleep_time = 0; // ns
    std::uint64_t patience = default_patience;
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
constexpr auto busy_wait =
    console::flag<&DataflowOptions::waits_busily>("busy-wait", "idle cores poll and never sleep");
constexpr auto locked_scan = console::flag<&DataflowOptions::scans_under_lock>(
    "locked-scan", "cores look for unbound tasks under their node's lock; of requests only");
constexpr auto sleep_time = console::option<&DataflowOptions::sleep_time>(
    "sleep-time", "ns; idle cores sleep for so long and are not woken; 0: until they are woken",
    console::between(0, 1'000'000'000));
constexpr auto patience = console::option<&DataflowOptions::patience>(
    "patience",
    "ns; a core without work leaves tasks to cores that run them themselves within this time; 0: it takes them at once",
    console::between(0, 1'000'000));
constexpr auto distances = console::option<&DataflowOptions::distances>(
    "distances", "between nodes: slit, as the firmware says; measured, before the first run");
constexpr auto no_peers = console::flag<&DataflowOptions::no_peers>("no-peers", "without libraries of others");
constexpr auto seed = console::option<&DataflowOptions::seed>("seed", "of what is drawn");

// Of requests that are graphs.
constexpr auto envelopes =
    console::option<&GraphShape::envelopes>("envelopes", "of a request", console::between(1, 1'000'000));
constexpr auto rows =
    console::option<&GraphShape::rows>("rows", "of an envelope, 8 bytes each", console::between(1, 10'000'000));
constexpr auto work = console::option<&GraphShape::work>("work", "multiplications for each row in each stage",
                                                         console::between(0, 10'000));
} // namespace dataflow_option

} // namespace mxk::bench
