// What a repeated measurement says: median, extremes, mean, and a 95 % confidence interval of the mean by Student's t.
// The interval assumes independent repetitions; drift has to be looked for elsewhere (by repeating the first one).
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

} // namespace mxk
