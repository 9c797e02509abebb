// One row of `bench task` and of its peers: what was measured, for people and for tools.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/json.hpp"
#include "bench/statistics.hpp"
#include "bench/task_cores.hpp"
#include "bench/task_measure.hpp"

namespace mxk::bench {

// What one run gives. Latencies: the median of the run's operations; throughput: their mean.
struct TaskSample {
    double cycles = 0;                    // per operation
    double p99 = 0;                       // latencies only
    std::uint64_t operations = 0;         // that the run measured
    std::uint64_t left_out = 0;           // that it made besides and did not count: not what is measured
    std::optional<std::uint64_t> woken{}; // round trips: how many found a core asleep, where that can be seen
    bool verified = false;
};

struct TaskRow {
    Measure measure{};
    CorePair cores{};
    std::uint32_t depth = 0;      // tasks under way at once
    std::uint64_t operations = 0; // of all runs together, as the two below
    std::uint64_t left_out = 0;
    std::optional<std::uint64_t> woken{};
    Summary cycles{}; // of the runs' values
    double p99 = 0;   // the median of the runs' values; 0: not a latency
    bool verified = false;

    [[nodiscard]] double nanoseconds() const; // the median
};

// Whether single operations are timed, not a whole run.
constexpr bool is_latency(Measure measure) {
    return measure == Measure::RoundTrip || measure == Measure::RemoteRoundTrip || measure == Measure::Wake;
}

void print_task_head(TextSink& out);
// `who`: the measure, or who was measured; up to 18 characters. A second line says it if round trips were wake-ups.
void print_task_row(TextSink& out, std::string_view who, TaskRow const& row);

// The fields from "measure" on of the object that is open, without the machine.
void write_task_row(JsonWriter& json, TaskRow const& row);

} // namespace mxk::bench
