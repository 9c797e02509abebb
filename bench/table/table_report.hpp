// What `bench table` prints: a head, a row for each phase of each configuration, and the same as JSON lines.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/text.hpp"
#include "bench/frame/statistics.hpp"
#include "bench/table/table_experiment.hpp"
#include "bench/table/table_options.hpp"
#include "bench/workload/phases.hpp"

namespace mxk::bench {

// One phase of one configuration.
struct TableRow {
    std::uint32_t cores = 0;
    Mix mix;
    std::size_t buckets = 0; // or slots
    Summary throughput{};    // operations per second
    bool verified = false;
    std::uint64_t lost = 0;          // entries, by threads without semaphores: max of the runs
    TableExperiment::Outcome last{}; // what the last run came to
    double drift = 0; // the same phase of the first configuration at the end, relative to the beginning; 0: unknown
};

// Threads without semaphores are there to show it: how many is a result, not an error.
inline bool may_lose(TableOptions const& options) {
    return options.model == Model::ThreadsUnsafe;
}

FixedText<32> name_of(Mix const& mix);

// In front of all rows.
void print_head(TextSink& out, TableOptions const& options);
// `first`: of the same phase, which speed-ups refer to.
void print_row(TextSink& out, TableOptions const& options, TableRow const& row, TableRow const& first);
void print_json(TextSink& out, TableOptions const& options, TableRow const& row);
// Why a run of this phase was not verified.
void print_wrong(TextSink& out, Mix const& mix, TableExperiment::Outcome const& outcome);

} // namespace mxk::bench
