// What the workers of a team have done together: how fast, how fairly, how often the lock was not free, what it took.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/units.hpp"
#include "bench/frame/names.hpp"
#include "bench/lock/team.hpp"

namespace mxk::bench {

struct TeamOutcome {
    std::uint64_t iterations = 0; // of all
    Cycles elapsed{};             // the maximum of theirs
    // Of the workers' iterations; the first one in percent.
    double variation = 0;
    double minimum = 0;
    double median = 0;
    double maximum = 0;
    locks::LockCounts counts{};
    locks::OneSidedCounts operations{};
    SectionCounts sections{}; // max_bypass: of any
    std::uint64_t increments = 0;

    // `scratch`: as many as there are turns. One turn or more.
    static TeamOutcome of(std::span<Turn const> turns, std::span<double> scratch);

    // Seconds from one iteration to the next. `frequency`: ticks of `elapsed` in a second.
    [[nodiscard]] double iteration_seconds(double frequency) const {
        return static_cast<double>(raw(elapsed)) / frequency / static_cast<double>(iterations);
    }
};

// What stands in a row besides the throughput. `timed`: the run that was timed; `watched`: the one whose sections were.
struct LockFindings {
    TeamOutcome const& timed;
    TeamOutcome const& watched;
    double frequency;
    bool has_operations; // one-sided operations were counted
    bool has_caches;     // the lock knows of caches
};
void add_findings(Findings& findings, LockFindings const& of);
// Of each of so many.
void add_operations(Findings& findings, locks::OneSidedCounts const& operations, std::uint64_t count);

} // namespace mxk::bench
