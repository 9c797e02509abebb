#include "bench/frame/statistics.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "arch/cpu.hpp"
#include "base/format.hpp"
#include "kernel/clock.hpp"

namespace mxk::bench {
namespace {

// Student's t for 95 %, two-sided, by degrees of freedom from 1 on.
constexpr std::array<double, 30> student_t{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                                           2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                                           2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
constexpr double normal_t = 1.96; // beyond the table

// Of a sample.
double variance(std::span<double const> values, double mean) {
    double squares = 0;
    for (double const value : values) squares += (value - mean) * (value - mean);
    return squares / static_cast<double>(values.size() - 1);
}
double standard_error(std::span<double const> values, double mean) {
    return square_root(variance(values, mean) / static_cast<double>(values.size()));
}

} // namespace

// Newton's method from above, where it only descends until it has arrived. There is no libm in the kernel, and the
// compiler's sqrt falls back on it.
double square_root(double value) {
    if (value <= 0) return 0;
    for (double root = std::max(value, 1.0);;) {
        double const next = (root + value / root) / 2;
        if (!(next < root)) return root;
        root = next;
    }
}

double coefficient_of_variation(std::span<double const> values) {
    if (values.size() < 2) return 0;
    double sum = 0;
    for (double const value : values) sum += value;
    double const mean = sum / static_cast<double>(values.size());
    return mean == 0 ? 0 : square_root(variance(values, mean)) / mean;
}

Summary summarise(std::span<double> values) {
    Summary result{.n = values.size()};
    if (values.empty()) return result;
    std::sort(values.begin(), values.end());
    result.minimum = values.front();
    result.maximum = values.back();
    std::size_t const middle = result.n / 2;
    result.median = result.n % 2 != 0 ? values[middle] : values[middle - 1] / 2 + values[middle] / 2;

    double sum = 0;
    for (double const value : values) sum += value;
    result.mean = result.confidence_low = result.confidence_high = sum / static_cast<double>(result.n);
    if (result.n == 1) return result;

    std::size_t const freedom = result.n - 1;
    double const t = freedom <= student_t.size() ? student_t[freedom - 1] : normal_t;
    double const reach = t * standard_error(values, result.mean);
    result.confidence_low = result.mean - reach;
    result.confidence_high = result.mean + reach;
    result.has_confidence = true;
    return result;
}

void write_summary(JsonWriter& json, std::string_view name, Summary const& value) {
    json.begin_object(name);
    json.field("n", value.n);
    json.field("median", value.median);
    json.field("min", value.minimum);
    json.field("max", value.maximum);
    json.field("mean", value.mean);
    if (value.has_confidence) {
        json.field("ci95_low", value.confidence_low);
        json.field("ci95_high", value.confidence_high);
    }
    json.end_object();
}

double percentile(std::span<double> values, unsigned percent) {
    if (values.empty()) return 0;
    std::size_t const rank = (values.size() * percent + 99) / 100; // rounded up, no less than 1
    auto const place = values.begin() + static_cast<std::ptrdiff_t>(rank - 1);
    std::nth_element(values.begin(), place, values.end());
    return *place;
}

double seconds_of(Cycles elapsed) {
    return static_cast<double>(raw(elapsed)) / static_cast<double>(clock::frequency());
}

Durations Durations::of(Histogram const& cycles) {
    auto const nanoseconds = [](std::uint64_t ticks) { return raw(clock::to_nanoseconds(static_cast<Cycles>(ticks))); };
    return {.count = cycles.count(),
            .mean = nanoseconds(cycles.mean()),
            .p50 = nanoseconds(cycles.quantile(0.5)),
            .p99 = nanoseconds(cycles.quantile(0.99)),
            .p999 = nanoseconds(cycles.quantile(0.999)),
            .max = nanoseconds(cycles.max())};
}

// In nanoseconds, as a number if they are.
double known(std::uint64_t nanoseconds) {
    return arch::timestamp_frequency_is_known() ? static_cast<double>(nanoseconds)
                                                : std::numeric_limits<double>::quiet_NaN();
}

void print_durations(TextSink& out, std::string_view what, Durations const& durations) {
    auto const in_microseconds = [](std::uint64_t nanoseconds) { return known(nanoseconds) / 1e3; };
    format(out, "       {}: {} of them, us: p50 {:.2}, p99 {:.2}, p99.9 {:.2}, max {:.2}\n", what, durations.count,
           in_microseconds(durations.p50), in_microseconds(durations.p99), in_microseconds(durations.p999),
           in_microseconds(durations.max));
}

void write_durations(JsonWriter& json, std::string_view name, Durations const& durations) {
    json.begin_object(name);
    json.field("count", durations.count);
    auto const write = [&](std::string_view of, std::uint64_t nanoseconds) {
        if (arch::timestamp_frequency_is_known())
            json.field(of, nanoseconds);
        else
            json.null_field(of);
    };
    write("mean_ns", durations.mean);
    write("p50_ns", durations.p50);
    write("p99_ns", durations.p99);
    write("p999_ns", durations.p999);
    write("max_ns", durations.max);
    json.end_object();
}

} // namespace mxk::bench
