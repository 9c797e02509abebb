// `bench lock ccwb`: work of which a growing part is critical, by all cores under one lock (bodies.hpp).
#include <array>
#include <string_view>

#include "bench/lock/contended_experiment.hpp"

namespace mxk::bench {

namespace {

struct CcwbOptions : LockOptions, WorkChoice {};

constexpr auto ccwb_schema = console::schema<CcwbOptions>(
    lock_option::locks, core_set_option::cores, sweep_option::critical, sweep_option::mode, lock_option::fabric,
    lock_option::nodes, lock_option::latency, lock_option::near_latency, lock_option::service, lock_option::passes,
    lock_option::passes_in_cache, lock_option::milliseconds, lock_option::look_every, lock_option::seed,
    run_option::all);

constexpr std::array ccwb_claims{
    is_slower("CLH is slower than D-MCS", LockFabric::Emu, "clh", "mcs"),
    is_slower("D-MCS is slower than a cohort lock", LockFabric::Emu, "mcs", "c-mcs-mcs"),
    is_slower("upper locks: TAS is slower than MCS", LockFabric::Emu, "c-tas-mcs", "c-mcs-mcs"),
};

class CcwbBench final : public ContendedBenchmark<WorkSweep> {
  public:
    using Options = CcwbOptions;
    explicit CcwbBench(Options const& options)
        : ContendedBenchmark(options, ccwb_claims, {options, options.seed}) {}
};
constexpr auto ccwb_benchmark = benchmark<CcwbBench, ccwb_schema>(
    {.summary = "iterations per second of all cores, whose work is in part critical: from little contention to full",
     .notes = "Example: bench lock ccwb --lock mcs,tts --cores 2 --k 0,3,5 --mode shared --json\n"
              "Example: bench lock ccwb --fabric emu --nodes 2 --cores 4\n",
     .parent = "bench lock",
     .more_help = &print_lock_kinds});
MXK_REGISTER(mxk_commands, console::Command, ccwb_benchmark);

} // namespace
} // namespace mxk::bench
