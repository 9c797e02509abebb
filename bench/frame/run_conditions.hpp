// Under which conditions the runs of a row were made, as far as the machine counts it: system management interrupts,
// which stop all cores for a while and which no program sees; the frequency; whether the cores were slowed down; and on
// Linux what the host did (arch/run_evidence.hpp). Counters are read before and after a run, its preparation included,
// on all cores: nothing of it is in what is measured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "arch/core_counters.hpp"
#include "arch/run_evidence.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "bench/frame/statistics.hpp"

namespace mxk::bench {

// Of one run. What is not counted on this machine is not there.
struct RunConditions {
    std::optional<std::uint64_t> smis{};      // that a core has seen; the largest number, for they go to all
    std::optional<double> frequency{};        // of all cores while they did not sleep, by the time-stamp counter's
    std::optional<std::uint32_t> throttled{}; // arch::Throttling bits of all cores
    std::optional<std::uint64_t> max_gap{};   // ns; arch::max_gap() of a millisecond after the run
    arch::RunEvidence evidence{};
};

// Of all runs of a row together.
struct Conditions {
    std::optional<std::uint64_t> smis{}; // of all runs
    std::optional<Summary> frequency{};
    std::optional<std::uint32_t> throttled{};
    std::optional<std::uint64_t> max_gap{};
    arch::RunEvidence evidence{}; // shares: the largest of any run; numbers: of all runs

    // Whether what was measured is worth little: an SMI came, the cores were slowed down, or did not get to run for
    // longer than an interrupt takes, or for more than 1 % of the time, or on another processor than theirs.
    [[nodiscard]] bool are_disturbed() const;
    // Whether that would have been seen: the host says for how long threads wait, or the machine counts SMIs or gaps.
    [[nodiscard]] bool are_watched() const;
};

// The same of one run.
bool is_disturbed(RunConditions const& run);

// But for the frequency, which is summarised once all runs have been made.
void add_run(Conditions& all, RunConditions const& run);

// "3 SMIs, throttled: power limit"; nothing where nothing disturbed.
void print_disturbances(TextSink& out, Conditions const& conditions);
// An object "conditions" in the object that is open; what is not counted is null.
void write_conditions(JsonWriter& json, Conditions const& conditions);

// What the cores counted between two moments, a reading of each core before and after. Pure.
RunConditions conditions_between(std::span<arch::CoreCounters const> before, std::span<arch::CoreCounters const> after);

} // namespace mxk::bench
