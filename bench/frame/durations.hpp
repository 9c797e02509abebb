// What a histogram of durations comes to, in a row of a result.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/histogram.hpp"
#include "base/json.hpp"
#include "base/text.hpp"

namespace mxk::bench {

// Nanoseconds, to a sixteenth.
struct Durations {
    std::uint64_t count = 0; // 0: not measured
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
