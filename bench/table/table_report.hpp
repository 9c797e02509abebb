// What `bench table` says besides what every benchmark says (bench/frame/report.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/json.hpp"
#include "base/text.hpp"
#include "bench/table/table_experiment.hpp"
#include "bench/table/table_options.hpp"
#include "bench/workload/phases.hpp"

namespace mxk::bench {

// What the runs of one row have found besides their throughput.
struct TableFindings {
    std::size_t buckets = 0;         // or slots
    std::uint64_t lost = 0;          // entries, by threads without semaphores: the maximum of a run
    double offered = 0;              // operations due per second, where a rate is set
    double max_speed = 0;            // operations per second without one, where it is a share of that: before
    double max_speed_after = 0;      // the same, after
    double reached = 0;              // operations per second at the set rate
    std::uint32_t runs = 0;          // at a set rate
    std::uint32_t runs_served = 0;   // of these
    TableExperiment::Outcome last{}; // what the last run came to, or the last that was served

    // Whether the rate was kept to 1 %, and was still the share of what the machine can do. If not, operations waited
    // in a backlog that grew with the run: such times are no latency.
    [[nodiscard]] bool is_served() const;
};

FixedText<32> name_of(Mix const& mix);

// In front of all rows.
void print_table_head(TextSink& out, TableRun const& run);
// Below a row: what --latency, --task-times and --owners ask for, of the last run.
void print_table_details(TextSink& out, TableRun const& run, TableFindings const& found);
void write_table_settings(JsonWriter& json, TableRun const& run, Mix const& mix);
void write_table_details(JsonWriter& json, TableRun const& run, TableFindings const& found);
// Why a run of this phase was not verified.
void print_wrong(TextSink& out, Mix const& mix, TableExperiment::Outcome const& outcome);

} // namespace mxk::bench
