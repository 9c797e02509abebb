// Reads the counters of all cores before and after a run (run_conditions.hpp). The console's task.
#pragma once

#include <optional>

#include "arch/core_counters.hpp"
#include "arch/run_evidence.hpp"
#include "base/result.hpp"
#include "bench/frame/run_conditions.hpp"
#include "kernel/memory/node_vector.hpp"

namespace mxk::bench {

// Where counters come from: the machine, or a test. Before any benchmark runs.
struct CounterSource {
    bool (*has_any)() = &arch::has_core_counters;
    arch::CoreCounters (*read)() = &arch::read_core_counters; // of the calling core
    void (*forget_throttling)() = &arch::forget_throttling;   // the same
    std::optional<Nanoseconds> (*max_gap)(Nanoseconds) = &arch::max_gap;
    void (*run_begins)() = &arch::evidence_run_begins;
    arch::RunEvidence (*run_ends)() = &arch::evidence_run_ends;
};
void set_counter_source(CounterSource const& wanted);

class ConditionsWatch {
  public:
    // Errors: no memory.
    static Result<ConditionsWatch> create();

    // Calls all cores, where they count anything. `is_part`: all of the run is what is measured.
    void begin_run(bool is_part);
    RunConditions end_run(bool is_part);

  private:
    NodeVector<CoreId> cores_;
    NodeVector<arch::CoreCounters> before_; // by core
    NodeVector<arch::CoreCounters> after_;
};

} // namespace mxk::bench
