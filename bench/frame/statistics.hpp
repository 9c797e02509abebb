// What a repeated measurement says: median, extremes, mean, and a 95 % confidence interval of the mean by Student's t.
// The interval assumes independent repetitions; drift has to be looked for elsewhere (by repeating the first one). And
// percentiles, for single latencies, whose rare long ones make a mean say little.
#pragma once

#include <cstddef>
#include <span>

namespace mxk {

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

// The smallest of `values` that is not exceeded by `percent` (1 to 100) of 100 of them (nearest rank: one of the
// values, for 50 the lower median). Reorders `values`. No values: 0. Any core, never blocks.
double percentile(std::span<double> values, unsigned percent);

} // namespace mxk
