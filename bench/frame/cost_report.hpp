// One row of a benchmark that measures what something costs (`bench task`, `bench thread`, `bench semaphore`) or of its
// peers: what was measured, for people and for tools.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/json.hpp"
#include "bench/frame/core_choice.hpp"
#include "bench/frame/experiment.hpp"
#include "bench/frame/named_values.hpp"
#include "bench/frame/statistics.hpp"

namespace mxk::bench {

struct CostRow {
    std::string_view measure;
    CorePair cores{};
    Settings settings{};
    std::uint64_t operations = 0; // of all runs together, as the two below
    std::uint64_t left_out = 0;
    std::optional<std::uint64_t> woken{};
    Summary cycles{};            // of the runs' values
    std::optional<double> p99{}; // the median of the runs' values, as in findings
    Findings findings{};
    bool verified = false;

    [[nodiscard]] double nanoseconds() const; // the median
};

void print_cost_head(TextSink& out);
// `who`: the measure, or who was measured; up to 18 characters. More lines say what was found besides, and if round
// trips were wake-ups.
void print_cost_row(TextSink& out, std::string_view who, CostRow const& row);

// The fields from "measure" on of the object that is open, without the machine.
void write_cost_row(JsonWriter& json, CostRow const& row);

} // namespace mxk::bench
