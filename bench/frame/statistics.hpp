// What a repeated measurement says: median, extremes, mean, and a 95 % confidence interval of the mean by Student's t.
// The interval assumes independent repetitions; drift has to be looked for elsewhere (by repeating the first one). And
// percentiles, for single latencies, whose rare long ones make a mean say little; of a histogram of them: Durations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/histogram.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "base/units.hpp"

namespace mxk::bench {

// Time stamps in seconds.
double seconds_of(Cycles elapsed);

struct Summary {
    std::size_t n = 0;
    double median = 0;
    double minimum = 0;
    double maximum = 0;
    double mean = 0;
    double confidence_low = 0; // both equal to the mean where has_confidence is false
    double confidence_high = 0;
    bool has_confidence = false; // one value says nothing about its spread
};

// Sorts `values`, which must be finite, in place; the unit of the summary is theirs. No values: all is 0. Any core,
// never blocks.
Summary summarise(std::span<double> values);

double square_root(double value);
// The standard deviation (of a sample: n - 1) by the mean. Fewer than two values, or a mean of 0: 0.
double coefficient_of_variation(std::span<double const> values);

// An object of this name in the object that is open.
void write_summary(JsonWriter& json, std::string_view name, Summary const& value);

// The smallest of `values` that is not exceeded by `percent` (1 to 100) of 100 of them (nearest rank: one of the
// values, for 50 the lower median). Reorders `values`. No values: 0. Any core, never blocks.
double percentile(std::span<double> values, unsigned percent);

// What a histogram of durations comes to, in a row of a result. Nanoseconds; all but the mean and the maximum are known
// to a sixteenth. The mean times a run's rate is the number of operations under way (Little's law).
struct Durations {
    std::uint64_t count = 0; // 0: not measured
    std::uint64_t mean = 0;
    std::uint64_t p50 = 0;
    std::uint64_t p99 = 0;
    std::uint64_t p999 = 0;
    std::uint64_t max = 0;

    // `cycles`: a histogram of durations in time stamps.
    static Durations of(Histogram const& cycles);
};

// A line for people: what took how long.
void print_durations(TextSink& out, std::string_view what, Durations const& durations);
// An object of this name in the object that is open.
void write_durations(JsonWriter& json, std::string_view name, Durations const& durations);

} // namespace mxk::bench
