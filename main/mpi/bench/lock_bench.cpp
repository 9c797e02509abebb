#include "main/mpi/bench/lock_bench.hpp"

#include <algorithm>
#include <vector>

namespace mxk::mpi {

void write_settings(JsonWriter& json, Session const& session, std::string_view benchmark, locks::LockKind const& kind,
                    BenchOptions const& options) {
    json.field("benchmark", benchmark);
    json.field("lock", kind.name);
    json.field("library", "none");
    json.field("fairness", locks::name_of(kind.fairness));
    session.describe(json);
    json.field("made_up", true);
    json.field("cores", session.world.ranks());
    json.field("passes", options.passes);
    json.field("lock_bytes", kind.forms.mpi.bytes);
    json.field("node_bytes", kind.forms.mpi.node_bytes);
    json.field("conservative", options.conservative);
    json.field("seed", options.seed);
}

void write_results(JsonWriter& json, std::string_view unit, bench::Summary const& summary,
                   bench::Findings const& findings, bool is_verified) {
    bench::write_summary(json, unit, summary);
    for (auto const& entry : findings.entries()) json.field(entry.name, entry.value);
    json.field("verified", is_verified);
}

double found(bench::Findings const& findings, std::string_view name) {
    for (auto const& entry : findings.entries())
        if (entry.name == name) return entry.value;
    return 0;
}

std::size_t place_of_median(std::span<double const> values) {
    std::vector<double> sorted(values.begin(), values.end());
    auto const middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    return static_cast<std::size_t>(std::find(values.begin(), values.end(), *middle) - values.begin());
}

} // namespace mxk::mpi
