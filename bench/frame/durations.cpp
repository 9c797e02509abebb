#include "bench/frame/durations.hpp"

#include "base/format.hpp"
#include "kernel/clock.hpp"

namespace mxk::bench {

Durations Durations::of(Histogram const& cycles) {
    auto const nanoseconds = [](std::uint64_t ticks) { return raw(clock::to_nanoseconds(static_cast<Cycles>(ticks))); };
    return {.count = cycles.count(),
            .p50 = nanoseconds(cycles.quantile(0.5)),
            .p99 = nanoseconds(cycles.quantile(0.99)),
            .p999 = nanoseconds(cycles.quantile(0.999)),
            .max = nanoseconds(cycles.max())};
}

void print_durations(TextSink& out, std::string_view what, Durations const& durations) {
    auto const in_microseconds = [](std::uint64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e3; };
    format(out, "       {}: {} of them, us: p50 {:.2}, p99 {:.2}, p99.9 {:.2}, max {:.2}\n", what, durations.count,
           in_microseconds(durations.p50), in_microseconds(durations.p99), in_microseconds(durations.p999),
           in_microseconds(durations.max));
}

void write_durations(JsonWriter& json, std::string_view name, Durations const& durations) {
    json.begin_object(name);
    json.field("count", durations.count);
    json.field("p50_ns", durations.p50);
    json.field("p99_ns", durations.p99);
    json.field("p999_ns", durations.p999);
    json.field("max_ns", durations.max);
    json.end_object();
}

} // namespace mxk::bench
