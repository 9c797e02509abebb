#include "bench/lock/turn_statistics.hpp"

#include <algorithm>

#include "bench/frame/statistics.hpp"

namespace mxk::bench {
namespace {

double percent(std::uint64_t part, std::uint64_t rest) {
    return part + rest == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(part + rest);
}
double per(std::uint64_t count, std::uint64_t iterations) {
    return iterations == 0 ? 0 : static_cast<double>(count) / static_cast<double>(iterations);
}

} // namespace

TeamOutcome TeamOutcome::of(std::span<Turn const> turns, std::span<double> scratch) {
    TeamOutcome all;
    for (std::size_t i = 0; i < turns.size(); ++i) {
        Turn const& turn = turns[i];
        all.iterations += turn.iterations;
        all.elapsed = std::max(all.elapsed, turn.elapsed);
        all.counts += turn.counts;
        all.operations += turn.operations;
        all.sections.all += turn.sections.all;
        all.sections.node_changes += turn.sections.node_changes;
        all.sections.max_bypass = std::max(all.sections.max_bypass, turn.sections.max_bypass);
        all.increments += turn.increments;
        scratch[i] = static_cast<double>(turn.iterations);
    }
    auto const values = scratch.first(turns.size());
    all.variation = 100 * coefficient_of_variation(values);
    Summary const summary = summarise(values);
    all.minimum = summary.minimum;
    all.median = summary.median;
    all.maximum = summary.maximum;
    return all;
}

void add_findings(Findings& findings, LockFindings const& of) {
    TeamOutcome const& timed = of.timed;
    TeamOutcome const& watched = of.watched;
    findings.add("iteration_ns", timed.iteration_seconds(of.frequency) * 1e9);
    findings.add("variation_pct", timed.variation);
    findings.add("iterations_min", timed.minimum);
    findings.add("iterations_median", timed.median);
    findings.add("iterations_max", timed.maximum);
    findings.add("node_changes", per(watched.sections.node_changes, watched.iterations));
    findings.add("max_bypass", static_cast<double>(watched.sections.max_bypass));
    // Of the timed run where that one counts.
    locks::LockCounts const& counts =
        timed.counts.immediate + timed.counts.delayed == 0 ? watched.counts : timed.counts;
    if (counts.immediate + counts.delayed != 0)
        findings.add("contention_pct", percent(counts.delayed, counts.immediate));
    if (counts.local_releases + counts.global_releases != 0)
        findings.add("local_pct", percent(counts.local_releases, counts.global_releases));
    if (of.has_caches) {
        std::uint64_t const in_node = counts.local_releases - counts.cache_releases;
        findings.add("cache_pct", percent(counts.cache_releases, in_node + counts.global_releases));
        findings.add("node_pct", percent(in_node, counts.global_releases));
    }
    if (of.has_operations) add_operations(findings, timed.operations, timed.iterations);
}

void add_operations(Findings& findings, locks::OneSidedCounts const& operations, std::uint64_t count) {
    findings.add("operations_home", per(operations.home, count));
    findings.add("operations_others", per(operations.others, count));
    findings.add("operations_near", per(operations.near, count));
    findings.add("messages", per(operations.messages, count));
}

} // namespace mxk::bench
