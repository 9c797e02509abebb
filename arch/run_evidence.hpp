// What the host has done to a run: for how long it let threads wait that could have run, and what else shows that the
// machine was not the benchmark's alone. On Linux; the bare machine has nobody who takes a core away, and counts what
// there is besides (core_counters.hpp).
#pragma once

#include <cstdint>
#include <optional>

namespace mxk::arch {

// Of one run. What the system does not say is not there. Shares are of the time that was measured, or of the whole run
// where "all" stands; the largest one of any core.
struct RunEvidence {
    std::optional<double> waited{};          // in which a thread could have run and had no processor (schedstat)
    std::optional<double> stolen{};          // all: which the hypervisor took from a processor (/proc/stat)
    std::optional<double> memory_stall{};    // all: in which a thread of the system waited for memory (PSI)
    std::optional<std::uint64_t> switches{}; // of all threads, away from a processor that they wanted to keep
    std::optional<std::uint64_t> moved{};    // parts that began or ended on another processor than their core's
    std::optional<std::uint64_t> stopped{};  // by a signal, and continued
};

// Whether there is anyone to ask. Any core.
bool has_run_evidence();

// Around a run. The console's task, one run at a time.
void evidence_run_begins();
RunEvidence evidence_run_ends();

// Around what is measured, right before its first time stamp and right after its last one. Any thread, which may be in
// several parts at a time. A few microseconds on Linux, nothing on the bare machine.
void evidence_part_begins();
void evidence_part_ends();

} // namespace mxk::arch
